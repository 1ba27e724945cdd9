import { beforeEach, expect, jest, test } from '@jest/globals';

const NOW_MS = Date.UTC(2026, 10, 27, 12);
const MINUTE_MS = 60_000;
const KEPT = { rename: { name: 'Laptop' } };
type Forms = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
/** What is tested. By its path and not by its types: those of a browser are not those of these tests. */
interface KeptWords {
  readonly noteTyped: (form: string, field: string, value: unknown) => void;
  readonly keepTyped: () => void;
  readonly noteSignedIn: (person: string) => void;
  readonly keptFor: (person: string) => Forms;
  readonly dropForm: (form: string) => void;
  readonly dropKept: () => void;
  readonly expireKept: () => () => void;
}
const MODULE = new URL('../../portal/api/kept-words.ts', import.meta.url).pathname;
const storage = new Map<string, string>();
const at = { pathname: '' };
let words: KeptWords;

beforeEach(async () => {
  jest.resetModules();
  jest.useFakeTimers({ now: NOW_MS, doNotFake: ['nextTick', 'queueMicrotask'] });
  storage.clear();
  at.pathname = '/keys';
  const sessionStorage = {
    getItem: (name: string) => storage.get(name) ?? null,
    setItem: (name: string, text: string) => storage.set(name, text),
    removeItem: (name: string) => storage.delete(name),
  };
  for (const [name, value] of Object.entries({ sessionStorage, location: at }))
    Object.defineProperty(globalThis, name, { value, configurable: true });
  words = (await import(MODULE)) as KeptWords;
  words.noteSignedIn('usr_1');
  words.noteTyped('rename', 'name', 'Laptop');
});

test('words are kept when the session ends, for the same person at the same page, until their form has them again', () => {
  expect(storage.size).toBe(0);
  words.keepTyped();
  // A second refusal of the session that has ended changes nothing.
  words.noteTyped('rename', 'name', undefined);
  words.keepTyped();
  expect(words.keptFor('usr_1')).toEqual(KEPT);
  expect(words.keptFor('usr_2')).toEqual({});
  words.noteSignedIn('usr_1');
  words.dropForm('rename');
  expect(storage.size).toBe(0);
});

test.each<[string, () => void]>([
  ['another person signs in', () => words.noteSignedIn('usr_2')],
  [
    'the person goes to another page',
    () => {
      at.pathname = '/team';
      words.noteSignedIn('usr_1');
    },
  ],
  ['the person signs out', () => words.dropKept()],
  [
    'they are ten minutes old',
    () => {
      const end = words.expireKept();
      jest.advanceTimersByTime(9 * MINUTE_MS);
      expect(storage.size).toBe(1);
      jest.advanceTimersByTime(MINUTE_MS);
      end();
    },
  ],
])('they are deleted when %s', (_, happens) => {
  words.keepTyped();
  expect(storage.size).toBe(1);
  happens();
  expect(storage.size).toBe(0);
});

test('they are no longer shown at ten minutes, wherever the page was meanwhile', () => {
  words.keepTyped();
  jest.setSystemTime(NOW_MS + 10 * MINUTE_MS - 1);
  expect(words.keptFor('usr_1')).toEqual(KEPT);
  jest.setSystemTime(NOW_MS + 10 * MINUTE_MS);
  expect(words.keptFor('usr_1')).toEqual({});
});

test('a form that was sent or left has none, and no text is among them that holds a key or begins like a credential', () => {
  words.noteTyped('rename', 'name', undefined);
  const beginning = ['svc_test_1', ' svc_mgmt_1', 'acme_live_1', 'whsec_1', 'Bearer abc', 'eyJhbGciOi', 'AKIA1'];
  const holding = [
    'SANDBOX_GATEWAY_API_KEY=svc_test_1',
    'CI (SVC_MGMT_1)',
    'K=acme_test_Project00001s',
    'https://ann:secret@hooks.example.com/a',
  ];
  for (const text of [...beginning, ...holding]) {
    words.noteTyped('new key', 'name', text);
    words.keepTyped();
    expect([text, storage.size]).toEqual([text, 0]);
    words.noteSignedIn('usr_1');
  }
  words.noteTyped('thresholds', 'typed', { percents: 'svc_test_1' });
  words.keepTyped();
  expect(storage.size).toBe(0);
});
