import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PING_PATH } from '../../functions/gateway/operations/ping.ts';
import { ROUTES } from '../../functions/gateway/operations/index.ts';
import { cliOn } from '../support/cli.ts';
import { ping as pingAt } from '../support/portal-site.ts';
import { completed, end, onOwnDatabase, portOf, run, until, type RunningGateway } from '../support/processes.ts';

let gateway: RunningGateway;
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gateway-'));
  // The caller's own AWS configuration does not lead elsewhere.
  const AWS_CONFIG_FILE = join(directory, 'config');
  await writeFile(AWS_CONFIG_FILE, '[default]\nignore_configured_endpoint_urls = true\nuse_fips_endpoint = true\n');
  gateway = await onOwnDatabase({ PORTAL: 'off', AWS_CONFIG_FILE });
});
afterAll(async () => {
  await end(gateway);
  await rm(directory, { recursive: true });
});

const ping = (headers: Record<string, string> = {}, body = '{}') =>
  fetch(gateway.url + PING_PATH, {
    method: 'POST',
    headers: { Authorization: `Bearer ${gateway.key}`, 'Content-Type': 'application/json', ...headers },
    body,
  });

describe('a running gateway', () => {
  test('without the portal names none', () => {
    expect(gateway.stdout).not.toMatch(/Portal|localhost/);
  });

  test('prints a curl line that works when pasted', async () => {
    const { stdout } = await promisify(execFile)('sh', ['-c', gateway.curl]);
    expect(stdout).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(stdout).toContain('"message":"Sandbox gateway is ready."');
  });

  test('has its key in the banner and nowhere else, and logs one short line a request', async () => {
    const { headers } = await ping({}, '{"clientRequestId":"canary"}');
    const requestId = headers.get('x-service-request-id') ?? '';
    await until(() => gateway.stdout.includes(`${requestId}\n`));
    expect(gateway.stdout.split('\n').filter((line) => line.includes(requestId))).toEqual([
      expect.stringMatching(
        new RegExp(`^[\\d:]{8} +200 +POST ${PING_PATH} +request_succeeded +1 unit +\\d+ ms +${requestId}$`),
      ),
    ]);
    expect(gateway.stdout.split(gateway.key)).toHaveLength(3);
    expect(gateway.stdout.slice(gateway.stdout.indexOf(gateway.curl) + gateway.curl.length)).not.toMatch(/svc_|canary/);
    expect(gateway.stderr).toBe('');
  });

  test('joins duplicated headers as API Gateway does: two Authorization headers are no key', async () => {
    const request = httpRequest(gateway.url + PING_PATH, { method: 'POST' });
    request.setHeader('Authorization', [`Bearer ${gateway.key}`, `Bearer ${gateway.key}`]);
    request.end('{}');
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(401);
    response.resume();
  });

  test('answers what API Gateway would refuse by itself in the envelope', async () => {
    const tooLarge = await ping({}, 'x'.repeat(10 * 1024 * 1024 + 1));
    expect([tooLarge.status, await tooLarge.json()]).toMatchObject([413, { ok: false, code: 'PAYLOAD_TOO_LARGE' }]);
  });

  test('answers unknown paths, other methods and HEAD as deployed', async () => {
    expect((await fetch(`${gateway.url}/nowhere?a=b`)).status).toBe(404);
    const head = await fetch(gateway.url + PING_PATH, { method: 'HEAD' });
    expect([head.status, head.headers.get('allow'), await head.text()]).toEqual([405, 'POST, OPTIONS', '']);
  });
});

describe('the documentation beside it', () => {
  test('/docs leads to the contract, which the banner names', async () => {
    const address = `${gateway.url}/openapi.json`;
    const { status, headers } = await fetch(`${gateway.url}/docs`, { redirect: 'manual' });
    expect([status, headers.get('location')]).toEqual([302, address]);
    expect(gateway.stdout).toMatch(new RegExp(`^ *Docs +${address}$`, 'm'));
  });

  test('the contract is there as JSON, with this gateway as its server, by whatever name it is asked', async () => {
    const { hostname, port } = new URL(gateway.url);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `rebound.example:${port}`]) {
      const request = httpRequest({ hostname, port, path: '/openapi.json', headers: { Host: host } }).end();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      const contract = (await json(response)) as { servers: unknown; paths: object };
      expect([host, contract.servers]).toEqual([host, [{ url: gateway.url, description: 'npm start' }]]);
      expect(new Set(Object.keys(contract.paths))).toEqual(new Set(ROUTES.map(({ path }) => path)));
    }
  });

  test.each(['/docs', '/openapi.json'])(
    '%s can only be read, by no other origin and no cache, and holds no key',
    async (path) => {
      for (const method of ['POST', 'OPTIONS', 'DELETE']) {
        const { status, headers } = await fetch(gateway.url + path, { method });
        expect([method, status, headers.get('allow')]).toEqual([method, 405, 'GET, HEAD']);
      }
      const head = await fetch(gateway.url + path, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
      const response = await fetch(gateway.url + path, { headers: { Origin: 'http://localhost:5173' } });
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'cache-control': 'no-store',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'x-content-type-options': 'nosniff',
      });
      expect(response.headers.has('access-control-allow-origin')).toBe(false);
      expect(await response.text()).not.toContain(gateway.key);
    },
  );
});

const MS_PER_MINUTE = 60_000;
const MS_PER_HOUR = 60 * MS_PER_MINUTE;
const clock = (...args: string[]) => completed(run('clock.ts', args, { PORT: portOf(gateway.url) }));
/** Moves it as the command does, without a process. */
const moveMs = (ms: number) =>
  fetch(`${gateway.url}/clock`, { method: 'POST', headers: { 'x-sandbox-clock': String(ms) } });
const move = (hours: number) => moveMs(hours * MS_PER_HOUR);
const outcome = async (key: string, headers: Record<string, string> = {}) => {
  const response = await pingAt(gateway, key, headers);
  const { code = '' } = (await response.json()) as { code?: string };
  return `${response.status} ${code || (response.headers.get('x-service-idempotency-replayed') ?? '')}`.trim();
};

// The last: the clock never goes back.
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
    expect([await outcome(slow), await outcome(slow)]).toEqual(['200', '429 RATE_LIMIT_EXCEEDED']);
    expect([await outcome(ending, stored), await outcome(ending, stored)]).toEqual(['200', '200 true']);
    expect([await outcome(last), await outcome(last)]).toEqual(['200', '429 QUOTA_EXCEEDED']);
    await clock('+61s');
    expect(await outcome(slow)).toBe('200');
    expect(await outcome(ending, stored)).toBe('200 true');
    await move(25);
    expect(await outcome(ending, stored)).toBe('200');
    await move(36);
    expect(await outcome(ending)).toBe('401 API_KEY_EXPIRED');
    await move(31 * 24);
    expect(await outcome(last)).toBe('200');
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
