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
import { end, onOwnDatabase, until, type RunningGateway } from '../support/processes.ts';

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

  test('plays the first session of the README: replay, conflict, rate limit, revocation, a consistent ledger', async () => {
    const cli = cliOn(gateway.databaseUrl);
    const projectId = await cli.newProject();
    const { key, keyId } = await cli.newKey(projectId);
    const authorization = { Authorization: `Bearer ${key}` };

    const first = await ping({ ...authorization, 'Idempotency-Key': 'idempotency-key-k' });
    const replay = await ping({ ...authorization, 'Idempotency-Key': 'idempotency-key-k' });
    expect([first.status, replay.status]).toEqual([200, 200]);
    expect(replay.headers.get('x-service-idempotency-replayed')).toBe('true');
    expect(replay.headers.get('x-service-quota-remaining')).toBe(first.headers.get('x-service-quota-remaining'));
    const conflict = await ping(
      { ...authorization, 'Idempotency-Key': 'idempotency-key-k' },
      '{"clientRequestId":"b"}',
    );
    expect(await conflict.json()).toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    // A new minute may begin in between: then the limit is reached in the next one.
    let limited: Response;
    do limited = await ping(authorization);
    while (limited.status === 200);
    expect(limited.status).toBe(429);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);

    await cli.run('key', 'revoke', '--project', projectId, '--key', keyId);
    const revoked = await ping(authorization);
    expect([revoked.status, await revoked.json()]).toMatchObject([401, { code: 'API_KEY_REVOKED' }]);
    expect(await cli.json('ledger', 'verify', '--project', projectId)).toMatchObject({ consistent: true });
    cli.close();
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
