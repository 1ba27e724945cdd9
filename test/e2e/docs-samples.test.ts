import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  curlIdempotency,
  curlPing,
  ENTER_KEY,
  pythonPing,
  typescriptPing,
  typescriptRetry,
} from '../../portal/docs/samples.ts';
import { end, ROOT, runCommand, startGateway, type RunningGateway, type Variables } from '../support/processes.ts';
import { scriptedServer, type Step } from '../support/scripted-server.ts';

/** The code samples of the portal's documentation, as a reader copies them. */
let gateway: RunningGateway;
let directory: string;
beforeAll(async () => {
  [gateway, directory] = await Promise.all([startGateway(), mkdtemp(join(tmpdir(), 'samples-'))]);
});
afterAll(async () => {
  await end(gateway);
  await rm(directory, { recursive: true });
});

/** Saves a program under its name and runs it. */
async function runSaved(name: string, text: string, command: string, variables: Variables, input = '') {
  const file = join(directory, name);
  await writeFile(file, text);
  const running = runCommand(command, [file], variables);
  running.child.stdin.end(input);
  return { status: await running.exited, stdout: running.stdout, stderr: running.stderr };
}

const DAY_SECONDS = 86_400;
const READY = '"message":"Sandbox gateway is ready."';
const hasPython = Boolean(process.env.CI) || spawnSync('python3', ['--version']).status === 0;
if (!hasPython) process.stderr.write('Not tested: the sample in Python, without python3.\n');
const testInPython = hasPython ? test : test.skip;

test('the command that takes the key hides it, and curl then sends a ping with it', async () => {
  const text = `${ENTER_KEY}\n${curlPing(gateway.url)}\n`;
  const result = await runSaved('ping.sh', text, 'bash', {}, `${gateway.key}\n`);
  expect([result.status, result.stdout]).toEqual([0, expect.stringMatching(/^HTTP\/1.1 200 OK/)]);
  expect(result.stdout).toContain(READY);
  expect(result.stdout + result.stderr).not.toContain(gateway.key);
});

test('TypeScript sends a ping, and fails with the answer when it is refused', async () => {
  const text = typescriptPing(gateway.url);
  const ready = await runSaved('ping.ts', text, process.execPath, { API_KEY: gateway.key });
  expect(ready).toEqual({ status: 0, stdout: expect.stringContaining(READY), stderr: '' });
  const refused = await runSaved('ping.ts', text, process.execPath, { API_KEY: 'svc_test_wrong' });
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringMatching(/401 .*INVALID_API_KEY/)]);
});

testInPython('Python sends a ping, and fails with the answer when it is refused', async () => {
  const text = pythonPing(gateway.url);
  const ready = await runSaved('ping.py', text, 'python3', { API_KEY: gateway.key });
  expect(ready).toEqual({ status: 0, stdout: expect.stringContaining(READY), stderr: '' });
  const refused = await runSaved('ping.py', text, 'python3', { API_KEY: 'svc_test_wrong' });
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringMatching(/401 .*INVALID_API_KEY/)]);
});

test('of the three requests under one Idempotency-Key one is charged, one replayed and one refused; done again, alike', async () => {
  for (const time of ['first', 'second']) {
    const { stdout } = await runSaved('three.sh', curlIdempotency(gateway.url), 'bash', { API_KEY: gateway.key });
    const statuses = stdout.match(/(?<=^HTTP\/1.1 )\d+/gm);
    expect([time, statuses]).toEqual([time, ['200', '200', '409']]);
    expect(stdout.match(/^x-service-idempotency-replayed: true/gim)).toHaveLength(1);
    expect(stdout).toContain('"code":"IDEMPOTENCY_CONFLICT"');
  }
});

describe('the program that repeats', () => {
  const OWN = { 'X-Service-Request-Id': '01a1fd70-f1c0-7c41-9d5b-3f2e8a6b1c0d' };
  const answer = (status: number, headers: Record<string, string> = {}) => ({ status, headers, body: { status } });
  async function repeat(...steps: Step[]) {
    const server = await scriptedServer(...steps);
    // Without the random part of its delays.
    const variables = { API_KEY: 'svc_test_key', NODE_OPTIONS: '--import=data:text/javascript,Math.random=()=>0' };
    const startedAtMs = Date.now();
    const result = await runSaved('retry.ts', typescriptRetry(server.url), process.execPath, variables);
    server.close();
    const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
    return { ...result, keys, tookMs: Date.now() - startedAtMs };
  }

  test.each<Step[]>([
    [answer(503, { ...OWN, 'Retry-After': '0' }), 'hangUp', answer(502), answer(429)],
    [answer(429, { ...OWN, 'Retry-After': '1' }), 'breakOff', answer(503), answer(500)],
  ])('does so under one Idempotency-Key, for as long as Retry-After says: %j', async (...steps) => {
    const { keys, tookMs, ...result } = await repeat(...steps, answer(200, OWN), answer(200, OWN));
    expect(result).toEqual({ status: 0, stdout: '200 {"status":200}\n', stderr: '' });
    expect([keys.length, new Set(keys).size]).toEqual([5, 1]);
    const waitedSeconds = JSON.stringify(steps).includes('"Retry-After":"1"') ? 1 : 0;
    expect(tookMs).toBeGreaterThan(1_000 * waitedSeconds);
  });

  test.each([
    answer(500, OWN),
    answer(400, OWN),
    answer(409, OWN),
    answer(429, { ...OWN, 'Retry-After': String(DAY_SECONDS) }),
  ])('does not after what would come again, or for days: %j', async (refusal) => {
    const { keys, stdout } = await repeat(refusal);
    expect([stdout, keys.length]).toEqual([`${refusal.status} {"status":${refusal.status}}\n`, 1]);
  });

  test('ends with the last answer when none of five attempts succeeds', async () => {
    const { keys, stdout } = await repeat(answer(503, OWN));
    expect([stdout, keys.length]).toEqual(['503 {"status":503}\n', 5]);
  });
});

test('the programs in TypeScript have no error in a strict project', async () => {
  await symlink(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  const programs = { 'one.ts': typescriptPing(gateway.url), 'two.ts': typescriptRetry(gateway.url) };
  for (const [name, text] of Object.entries(programs)) await writeFile(join(directory, name), text);
  const compilerOptions = { strict: true, skipLibCheck: true, module: 'nodenext', target: 'es2022', types: ['node'] };
  const files = Object.keys(programs);
  await writeFile(join(directory, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  const tsc = runCommand(join(ROOT, 'node_modules/.bin/tsc'), ['--noEmit', '--project', directory], {});
  expect([await tsc.exited, tsc.stdout]).toEqual([0, '']);
});
