import { beforeAll, beforeEach, expect, jest, test } from '@jest/globals';

const LOADED_AT_MS = Date.UTC(2026, 10, 27, 12);
const PORTAL = 'https://portal.example.com';

// What the module finds in a browser.
const listeners = new Map<string, () => void>();
const asked: [method: string, header: string | null][] = [];
/** By its path: the types of a browser are not those of these tests. */
const CLIENT = new URL('../../portal/api/client.ts', import.meta.url).pathname;
let api: Record<'GET' | 'POST', (path: string, request?: object) => Promise<unknown>>;
beforeAll(async () => {
  jest.useFakeTimers({ now: LOADED_AT_MS, doNotFake: ['setTimeout', 'setImmediate', 'nextTick', 'queueMicrotask'] });
  class PageRequest extends Request {
    constructor(input: string | URL | Request, init?: RequestInit) {
      super(typeof input === 'string' ? new URL(input, PORTAL) : input, init);
    }
  }
  Object.assign(globalThis, {
    addEventListener: (type: string, listener: () => void) => listeners.set(type, listener),
    Request: PageRequest,
    fetch: ({ method, headers }: Request) => {
      asked.push([method, headers.get('X-Service-Background')]);
      return Promise.resolve(Response.json({}));
    },
  });
  ({ api } = (await import(CLIENT)) as { api: typeof api });
});
beforeEach(() => {
  asked.length = 0;
});

/** What a read and a change say of themselves, at a time after the page was loaded. */
async function saidAfter(seconds: number): Promise<typeof asked> {
  jest.setSystemTime(LOADED_AT_MS + seconds * 1_000);
  await api.GET('/api/session');
  await api.POST('/api/sign-out', { body: { everywhere: false } });
  return asked.splice(0);
}
const OF_A_PERSON = [
  ['GET', null],
  ['POST', null],
];
const OF_A_TIMER = [
  ['GET', 'true'],
  ['POST', null],
];

test('a minute after the last input the reads of a page are a timer’s, and keep no session alive; a change is a person’s', async () => {
  expect(await saidAfter(59)).toEqual(OF_A_PERSON);
  expect(await saidAfter(60)).toEqual(OF_A_TIMER);
  for (const [nth, input] of ['pointerdown', 'keydown', 'wheel', 'touchmove'].entries()) {
    const seconds = 1_000 * (nth + 1);
    jest.setSystemTime(LOADED_AT_MS + seconds * 1_000);
    listeners.get(input)?.();
    expect(await saidAfter(seconds + 59)).toEqual(OF_A_PERSON);
    expect(await saidAfter(seconds + 60)).toEqual(OF_A_TIMER);
  }
  expect(listeners.size).toBe(4);
});
