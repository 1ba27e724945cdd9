import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ERRORS } from '../../../functions/shared/http/errors.ts';
import { ANSWER_LOST, SIMULATIONS } from '../../../functions/shared/request/operation.ts';
import { cliOfGateway, type GatewayCli } from '../../support/cli.ts';
import { startDriver, type Call, type Told } from '../../support/clients/drivers.ts';
import { rawServer } from '../../support/clients/raw-server.ts';
import { IS_FULL } from '../../support/extent.ts';
import { until } from '../../support/processes.ts';
import { PYTHON_PROGRAM, testInPython, WITH_LIBRARY } from '../../support/python.ts';
import { ANSWERS, CONNECTIONS, type Case } from './networks.ts';

let gateway: GatewayCli;
/** Sees what a library sends through the proxy of its environment. */
const proxy = createServer((socket) => socket.destroy());
let proxyUrl: string;
let proxied = 0;
beforeAll(async () => {
  gateway = await cliOfGateway();
  proxy.on('connection', () => proxied++);
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
afterAll(() => {
  proxy.close();
  gateway.close();
});

interface Event {
  readonly clientRequestId: string;
  readonly requestId: string;
  readonly code: string | null;
  readonly units: number;
  readonly simulated: boolean;
}

const ALL = [...CONNECTIONS, ...ANSWERS];
const DRIVERS = [
  ['TypeScript', process.execPath, ['test/support/clients/driver.mjs'], test, ALL],
  ['Python', PYTHON_PROGRAM, ['test/support/clients/driver.py', 'sync'], testInPython, ALL],
  // The synchronous client, on another transport: what it makes of an answer is the same code.
  [
    'Python, asynchronous',
    PYTHON_PROGRAM,
    ['test/support/clients/driver.py', 'async'],
    testInPython,
    IS_FULL ? ALL : CONNECTIONS,
  ],
] as const;

describe.each(DRIVERS)('%s', (language, program, args, testHere, cases) => {
  let projectId: string;
  let key: string;
  /** What the ledger must have of each call in the end, by its clientRequestId. */
  const expectedUnits = new Map<string, number>();
  /** The answers to simulated requests, by the same. */
  const simulated = new Map<string, object>();
  let driver: ReturnType<typeof startDriver>;
  beforeAll(async () => {
    projectId = await gateway.newProject();
    ({ key } = await gateway.newKey(projectId, '--rpm', '10000'));
    const throughProxy = { http_proxy: proxyUrl, HTTP_PROXY: proxyUrl, ALL_PROXY: proxyUrl };
    driver = startDriver(program, args, { ...WITH_LIBRARY, ...throughProxy });
  });
  afterAll(async () => expect(await driver.end()).toBe(''));

  testHere.each(cases)('$name', async ({ steps, address, options, simulate, calls = 1, name, expected }) => {
    const server = await rawServer(gateway.url, steps, address === 'ipv6' ? '::1' : '127.0.0.1');
    const clientRequestId = `${language}: ${name}`;
    const open = { apiKey: key, baseURL: addressOf(server.port, address), ...options };
    if (address === 'nobody listens') await server.close();
    const all: Told[] = [];
    for (let number = 0; number < calls; number++) {
      all.push(await driver.make({ options: open, request: { clientRequestId, ...(simulate && { simulate }) } }));
      // What the server has ended, has ended before the next call. Python looks when it uses a connection again.
      const hasEnded = (): boolean => (language === 'TypeScript' ? server.openConnections() === 0 : server.hasEnded());
      if (number < calls - 1 && steps.length === 1) await until(hasEnded);
    }
    const keys = server.attempts.filter((each) => each !== undefined);
    if (address !== 'nobody listens') await server.close();

    expect(server.attempts).toHaveLength(expected.attempts);
    expect(new Set(keys).size).toBeLessThanOrEqual(calls);
    const waits = all.flatMap(({ waitsMs }) => waitsMs);
    expect(waits).toHaveLength(expected.waitsSeconds.length);
    for (const [retry, seconds] of expected.waitsSeconds.entries()) {
      // A date has no parts of a second.
      const dateMs = name.includes('as a date') && seconds > 0 ? 1_000 : 0;
      expect(waits[retry]).toBeGreaterThanOrEqual(1_000 * seconds - dateMs);
      expect(waits[retry]).toBeLessThanOrEqual(1_000 * seconds + Math.min(500 * 2 ** retry, 8_000) + dateMs);
    }
    checkOutcome(all.at(-1), expected);
    const { result, error } = all.at(-1) ?? {};
    expect((result ?? error)?.idempotencyKey).toEqual(keys.at(-1) ?? expect.any(String));
    expect(all.map(({ shown }) => shown).join('')).not.toContain(key.slice('svc_test_'.length));
    expectedUnits.set(clientRequestId, expected.units);
  });

  testHere('every code that a request can ask for is raised once, in its class', async () => {
    const open = { apiKey: key, baseURL: gateway.url };
    for (const code of SIMULATIONS.filter((each) => each !== ANSWER_LOST)) {
      const clientRequestId = `${language}-${code}`;
      const told = await driver.make({ options: open, request: { clientRequestId, simulate: code } });
      const { status } = ERRORS[code];
      const retryable = ['RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'].includes(code);
      expect(told).toMatchObject({ waitsMs: [], error: { class: classOf(status, code), code, status, retryable } });
      simulated.set(clientRequestId, { requestId: told.error?.requestId, code, units: 0, simulated: true });
    }
  });

  testHere('a member of an argument that is not known is refused, and nothing is sent', async () => {
    const server = await rawServer(gateway.url, []);
    const open = { apiKey: key, baseURL: `http://127.0.0.1:${server.port}` };
    for (const call of [
      { options: open, request: { simulated: 'QUOTA_EXCEEDED' } },
      { options: open, call: { idempotency: 'order-7' } },
      { options: { ...open, retries: 3 } },
    ]) {
      const told = await driver.make(call as Call);
      expect(told).toMatchObject({ result: null, error: { class: 'TypeError' } });
    }
    await server.close();
    expect(server.attempts).toEqual([]);
  });

  testHere('nothing went to a proxy', () => expect(proxied).toBe(0));

  testHere(
    'after all of it the ledger has the units of each call, one event of each code, and agrees with the counter',
    async () => {
      const { events } = await gateway.json('usage', 'list', '--project', projectId);
      const byCall = Map.groupBy(events as Event[], ({ clientRequestId }) => clientRequestId);
      for (const [clientRequestId, event] of simulated)
        expect([clientRequestId, byCall.get(clientRequestId)]).toMatchObject([clientRequestId, [event]]);
      const unitsOf = (id: string): number => (byCall.get(id) ?? []).reduce((sum, { units }) => sum + units, 0);
      const calls = [...expectedUnits.keys()];
      expect(Object.fromEntries(calls.map((id) => [id, unitsOf(id)]))).toEqual(Object.fromEntries(expectedUnits));
      // Nothing else was charged.
      expect([...byCall.keys()].filter((id) => unitsOf(id) > 0 && !expectedUnits.has(id))).toEqual([]);
      expect(await gateway.json('ledger', 'verify', '--project', projectId)).toMatchObject({ consistent: true });
    },
  );
});

function classOf(status: number, code: string): string {
  if (status >= 500) return 'InternalServerError';
  if (code.endsWith('QUOTA_EXCEEDED')) return 'QuotaExceededError';
  const classes = new Map([
    [401, 'AuthenticationError'],
    [403, 'PermissionDeniedError'],
    [409, 'ConflictError'],
    [429, 'RateLimitError'],
  ]);
  return classes.get(status) ?? 'BadRequestError';
}

function addressOf(port: number, address: Case['address']): string {
  if (address === 'ipv6') return `http://[::1]:${port}`;
  if (address === 'https') return `https://127.0.0.1:${port}`;
  return `http://127.0.0.1:${port}${address === 'a path' ? '/below/' : ''}`;
}

function checkOutcome(told: Told | undefined, { outcome, says = '', limits }: Case['expected']): void {
  const { result, error = null } = told ?? {};
  if (typeof outcome === 'string') {
    const limit =
      limits === null
        ? null
        : { limit: expect.any(Number), remaining: expect.any(Number), resetsAt: expect.any(Number) };
    expect(error).toBeNull();
    expect(result).toEqual({
      message: 'Sandbox gateway is ready.',
      replayed: outcome === 'replay',
      requestId: expect.stringMatching(/^[-0-9a-f]{36}$/),
      idempotencyKey: expect.any(String),
      rateLimit: limit,
      quota: limit,
    });
    return;
  }
  expect(error).toMatchObject(outcome);
  expect(error?.message.startsWith(`${error.code}: ${error.detail}`)).toBe(true);
  expect(error?.message).toContain(says);
  expect(error?.message).toMatch(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]{1,700}$/u);
}
