import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ERRORS } from '../../functions/shared/rules/errors.ts';
import { ANSWER_LOST, SIMULATIONS } from '../../functions/shared/rules/simulation.ts';
import { admin } from '../support/admin.ts';
import { faultyProxy, type Fault } from '../support/faulty-proxy.ts';
import { end, portOf, ROOT, runCommand, startGateway, type RunningGateway } from '../support/processes.ts';
import { testInPython } from '../support/python.ts';

interface Call {
  readonly clientRequestId: string;
  readonly simulate?: string;
  readonly rehearse?: Readonly<Record<string, number>>;
}
/** The result of a call. */
interface Told {
  readonly status?: number | null;
  readonly code?: string;
  readonly retryable?: boolean;
  readonly requestId: string;
  readonly replayed?: boolean;
  readonly waitsMs: readonly number[];
}
interface Event {
  readonly clientRequestId: string | null;
  readonly event: string;
  readonly code: string | null;
  readonly units: number;
  readonly requestId: string;
  readonly simulated?: true;
}

let gateway: RunningGateway;
let directory: string;
beforeAll(async () => {
  [gateway, directory] = await Promise.all([startGateway(), mkdtemp(join(tmpdir(), 'clients-'))]);
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
});
afterAll(async () => {
  await end(gateway);
  await rm(directory, { recursive: true });
});

const command = async (...args: string[]) => {
  const result = await admin([...args, '--local', '--json'], { DYNAMODB_PORT: portOf(gateway.databaseUrl) });
  expect([result.stderr, result.status]).toEqual(['', 0]);
  return result;
};
/** The events of one call in the ledger, in order. */
async function eventsOf(clientRequestId: string): Promise<readonly Event[]> {
  const { json } = await command('usage', 'list', '--project', gateway.projectId, '--limit', '1000');
  return (json.events as Event[]).filter((event) => event.clientRequestId === clientRequestId);
}

const PYTHON = { PYTHONPATH: join(ROOT, 'clients/python'), PYTHONDONTWRITEBYTECODE: '1' };
const LIBRARIES = [
  ['TypeScript', process.execPath, 'test/support/clients/calls.mjs', test],
  ['Python', 'python3', 'test/support/clients/calls.py', testInPython],
] as const;

describe.each(LIBRARIES)('%s', (language, program, script, testHere) => {
  let key: string;
  beforeAll(async () => {
    // Its own key, since each key has a rate limit.
    key = String((await command('key', 'create', '--project', gateway.projectId, '--mode', 'test')).json.key);
  });
  async function make(url: string, ...calls: readonly Call[]): Promise<readonly Told[]> {
    const variables = { ...PYTHON, API_KEY: key, BASE_URL: url, CALLS: JSON.stringify(calls) };
    const running = runCommand(program, [script], variables);
    expect([await running.exited, running.stderr]).toEqual([0, '']);
    expect(running.stdout).not.toContain(key.slice('svc_test_'.length));
    return running.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Told);
  }

  /**
   * Makes one call through faults. Checks its delays against `Retry-After`, and returns its attempts and its events.
   */
  async function run(call: Call, ...faults: readonly Fault[]) {
    const proxy = await faultyProxy(gateway.url, ...faults);
    const [told] = await make(proxy.url, call);
    proxy.close();
    const events = await eventsOf(call.clientRequestId);
    for (const [retry, waitMs] of (told?.waitsMs ?? []).entries()) {
      const toldMs = 1_000 * (proxy.passed[retry]?.retryAfterSeconds ?? 0);
      expect(waitMs).toBeGreaterThanOrEqual(toldMs);
      expect(waitMs).toBeLessThanOrEqual(toldMs + 500 * 2 ** retry);
    }
    const charged = events.filter(({ units }) => units > 0);
    return { told, attempts: proxy.passed.map(({ status }) => status), events, charged: charged.length };
  }

  testHere(
    '5 attempts, 1 charge, with the required waits: each temporary simulated failure, and a lost answer',
    async () => {
      const rehearse = { RATE_LIMIT_EXCEEDED: 1, SERVICE_UNAVAILABLE: 1, INTERNAL_ERROR: 1, ANSWER_LOST: 1 };
      const { told, attempts, events, charged } = await run({ clientRequestId: `${language}-simulated`, rehearse });
      expect([attempts, charged, told?.replayed]).toEqual([[429, 503, 500, 503, 200], 1, true]);
      expect(events.map(({ event, code, units, simulated }) => [event, code, units, simulated])).toEqual([
        ['rate_limit_rejected', 'RATE_LIMIT_EXCEEDED', 0, true],
        ['request_rejected', 'SERVICE_UNAVAILABLE', 0, true],
        ['request_rejected', 'INTERNAL_ERROR', 0, true],
        ['request_succeeded', null, 1, true],
        ['idempotency_replay', null, 0, undefined],
      ]);
    },
  );

  testHere('5 attempts, 1 charge: connections that end before, within and after the answer', async () => {
    const faults = ['before', 'within', 'after', 'balancer'] as const;
    const { told, attempts, events, charged } = await run({ clientRequestId: `${language}-faults` }, ...faults);
    expect([attempts, charged, told?.replayed]).toEqual([[null, null, null, 502, 200], 1, true]);
    expect(events.map(({ event, units }) => [event, units])).toEqual([
      ['request_succeeded', 1],
      ['idempotency_replay', 0],
      ['idempotency_replay', 0],
    ]);
  });

  testHere('every code of the gateway that a request can ask for is raised once, and costs nothing', async () => {
    const codes = SIMULATIONS.filter((code) => code !== ANSWER_LOST);
    const calls = codes.map((simulate) => ({ clientRequestId: `${language}-${simulate}`, simulate }));
    const told = await make(gateway.url, ...calls);
    const PASSING = ['RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'];
    for (const [index, code] of codes.entries()) {
      const retryable = PASSING.includes(code);
      expect(told[index]).toMatchObject({ code, status: ERRORS[code].status, retryable, waitsMs: [] });
      const { requestId } = told[index] ?? {};
      expect(await eventsOf(`${language}-${code}`)).toMatchObject([{ requestId, code, units: 0, simulated: true }]);
    }
  });

  testHere('the first program of its README sends a ping', async () => {
    const isPython = language === 'Python';
    const readme = await readFile(`clients/${language.toLowerCase()}/README.md`, 'utf8');
    const code = /^ *```(?:js|python)\n([^]*?)^ *```$/m.exec(readme)?.[1] ?? '';
    const text = code.replaceAll(/^ {3}/gm, '').replace('https://gateway.example', gateway.url);
    const file = join(directory, isPython ? 'ping.py' : 'ping.mjs');
    await writeFile(file, text);
    for (const [API_KEY, expected] of [
      [key, [0, expect.stringMatching(/^Sandbox gateway is ready\. [-0-9a-f]{36}\n\d+ units left until /), '']],
      ['svc_test_wrong', [1, '', expect.stringContaining('SandboxGatewayError: INVALID_API_KEY: ')]],
    ] as const) {
      const running = runCommand(program, [file], { ...PYTHON, API_KEY });
      expect([await running.exited, running.stdout, running.stderr]).toEqual(expected);
    }
    const nothing = runCommand(program, [file], PYTHON);
    expect([await nothing.exited, nothing.stderr]).toEqual([
      1,
      expect.stringContaining('is the variable set in the environment?'),
    ]);
  });
});

test('the ledger agrees with the counter after all of it', async () => {
  const { json } = await command('ledger', 'verify', '--project', gateway.projectId);
  expect(json).toMatchObject({ consistent: true });
});
