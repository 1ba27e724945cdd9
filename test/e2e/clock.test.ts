import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cliOn } from '../support/cli.ts';
import { ping as pingAt } from '../support/portal-site.ts';
import { completed, end, onOwnDatabase, portOf, run, startGateway, type RunningGateway } from '../support/processes.ts';

const MS_PER_MINUTE = 60_000;
const MS_PER_HOUR = 60 * MS_PER_MINUTE;
let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await onOwnDatabase({ PORTAL: 'off' });
});
afterAll(() => end(gateway));

const clock = (...args: string[]) => completed(run('clock.ts', args, { PORT: portOf(gateway.url) }));
/** Moves it as the command does, without a process. */
const moveMs = (ms: number) =>
  fetch(`${gateway.url}/clock`, { method: 'POST', headers: { 'x-sandbox-clock': String(ms) } });
const move = (hours: number) => moveMs(hours * MS_PER_HOUR);
const ping = async (key: string, headers: Record<string, string> = {}) => {
  const response = await pingAt(gateway, key, headers);
  const { code = '' } = (await response.json()) as { code?: string };
  return `${response.status} ${code || (response.headers.get('x-service-idempotency-replayed') ?? '')}`.trim();
};

describe('the clock of npm start', () => {
  test('lets a client meet the end of a rate limit, of a stored response, of a key and of a quota period', async () => {
    const cli = cliOn(gateway.databaseUrl);
    const [many, one] = [await cli.newProject('--quota', '100'), await cli.newProject('--quota', '1')];
    const { key: slow } = await cli.newKey(many, '--rpm', '1');
    const { key: ending } = await cli.newKey(many, '--expires', '40h');
    const { key: last } = await cli.newKey(one);
    cli.close();
    const stored = { 'Idempotency-Key': 'a-request' };

    // Both are in one minute.
    await moveMs(MS_PER_MINUTE - (Date.now() % MS_PER_MINUTE));
    expect([await ping(slow), await ping(slow)]).toEqual(['200', '429 RATE_LIMIT_EXCEEDED']);
    expect([await ping(ending, stored), await ping(ending, stored)]).toEqual(['200', '200 true']);
    expect([await ping(last), await ping(last)]).toEqual(['200', '429 QUOTA_EXCEEDED']);
    await clock('+61s');
    expect(await ping(slow)).toBe('200');
    expect(await ping(ending, stored)).toBe('200 true');
    await move(25);
    expect(await ping(ending, stored)).toBe('200');
    await move(36);
    expect(await ping(ending)).toBe('401 API_KEY_EXPIRED');
    await move(31 * 24);
    expect(await ping(last)).toBe('200');
  });

  test('tells where it is, and never goes back', async () => {
    const told = async () => JSON.parse((await clock('--json')).stdout) as { now: string; movedMs: number };
    const before = await told();
    await move(31 * 24);
    const askedAtMs = Date.now();
    const { now, movedMs } = await told();
    expect(movedMs).toBe(before.movedMs + 31 * 24 * MS_PER_HOUR);
    expect(Date.parse(now) - movedMs).toBeGreaterThanOrEqual(askedAtMs);
    expect(Date.parse(now) - movedMs).toBeLessThanOrEqual(Date.now());
    for (const back of ['-1h', '1h', '+1y', '+-1h', '']) {
      expect(await clock(back)).toMatchObject({ status: 1, stdout: '' });
    }
    for (const back of ['-1h', '-90s', '1h']) expect((await clock(back)).stderr).toMatch(/the clock never goes back/);
    expect((await clock('+2h')).stdout).toMatch(/^It is \d{4}-.*Z there, .* hours ahead of this machine\.\n$/);
  });

  test('is moved by no web page, and by nothing that is no number', async () => {
    const post = async (headers: Record<string, string>) =>
      (await fetch(`${gateway.url}/clock`, { method: 'POST', headers })).status;
    expect(await post({})).toBe(403);
    expect(await post({ 'x-sandbox-clock': '1', origin: 'http://localhost:5173' })).toBe(403);
    for (const by of ['x', '-1', '1.5', 'NaN', '1e300']) expect(await post({ 'x-sandbox-clock': by })).toBe(400);
    const preflight = await fetch(`${gateway.url}/clock`, {
      method: 'OPTIONS',
      headers: { origin: 'http://localhost:5173', 'access-control-request-headers': 'x-sandbox-clock' },
    });
    expect(preflight.headers.get('access-control-allow-headers') ?? '').not.toContain('x-sandbox-clock');
  });
});

test('the clock stays where the database outlives the process: in a directory, or that of another process', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'clock-'));
  try {
    // The second has the database of another process.
    for (const starting of [onOwnDatabase({ PORTAL: 'off', DATA_DIR: directory }), startGateway()]) {
      const keeping = await starting;
      try {
        const PORT = portOf(keeping.url);
        const moved = await completed(run('clock.ts', ['+1h'], { PORT }));
        expect(moved).toMatchObject({ status: 1, stdout: '' });
        expect(moved.stderr).toMatch(
          /^error: The clock was not moved \(409\): .*DATA_DIR and AWS_ENDPOINT_URL_DYNAMODB/,
        );
        expect(JSON.parse((await completed(run('clock.ts', ['--json'], { PORT }))).stdout)).toMatchObject({
          movedMs: 0,
        });
      } finally {
        await end(keeping);
      }
    }
  } finally {
    await rm(directory, { recursive: true });
  }
});
