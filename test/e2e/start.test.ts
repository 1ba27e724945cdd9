import { execFile, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { afterEach, beforeAll, afterAll, describe, expect, test } from '@jest/globals';
import { LOCAL_KEY_TAG_SECRET, localSettings } from '../../local/settings.ts';
import { unusedPort } from '../../local/database.ts';
import { admin } from '../support/admin.ts';
import {
  banner,
  end,
  FREE_PORTS,
  listens,
  onOwnDatabase,
  portOf,
  run,
  until,
  type RunningGateway,
  type RunningProcess,
} from '../support/processes.ts';

const PING = '/api/v1/sandbox/ping';
const started: RunningProcess[] = [];
const gatewayWith = async (environment: Record<string, string> = {}): Promise<RunningGateway> => {
  const gateway = await onOwnDatabase({ PORTAL: 'off', ...environment });
  started.push(gateway);
  return gateway;
};
afterEach(async () => {
  for (const running of started.splice(0)) await end(running, 'SIGKILL');
});

const ping = (gateway: RunningGateway, headers: Record<string, string> = {}, body = '{}') =>
  fetch(gateway.url + PING, {
    method: 'POST',
    headers: { Authorization: `Bearer ${gateway.key}`, 'Content-Type': 'application/json', ...headers },
    body,
  });

describe('a running gateway', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await onOwnDatabase({ PORTAL: 'off' });
  });
  afterAll(async () => {
    await end(gateway);
  });

  test('without the portal names none', () => {
    expect(gateway.stdout).not.toMatch(/Portal|localhost/);
  });

  test('prints a curl line that works when pasted', async () => {
    const { stdout } = await promisify(execFile)('sh', ['-c', gateway.curl]);
    expect(stdout).toMatch(/^HTTP\/1.1 200 OK\r\n/);
    expect(stdout).toContain('"message":"Sandbox gateway is ready."');
  });

  test('has its key in the banner and nowhere else, and logs one short line a request', async () => {
    const before = gateway.stdout.length;
    const { headers } = await ping(gateway, {}, '{"clientRequestId":"canary"}');
    await until(() => gateway.stdout.length > before);
    expect(gateway.stdout.slice(before)).toMatch(
      new RegExp(
        `^[\\d:]{8} +200 +POST ${PING} +request_succeeded +1 unit +\\d+ ms +${headers.get('x-service-request-id') ?? ''}\n$`,
      ),
    );
    expect(gateway.stdout.split(gateway.key)).toHaveLength(3);
    expect(gateway.stdout.slice(gateway.stdout.indexOf(gateway.curl) + gateway.curl.length)).not.toMatch(/svc_|canary/);
    expect(gateway.stderr).toBe('');
  });

  test('plays the first session of the README: replay, conflict, rate limit, revocation, a consistent ledger', async () => {
    const local = { DYNAMODB_PORT: portOf(gateway.databaseUrl) };
    const run = async (...args: string[]) => (await admin([...args, '--local', '--json'], local)).json;
    const { accountId } = await run('account', 'create', '--name', 'E2E', '--email', 'e2e@example.com');
    const { projectId } = await run('project', 'create', '--account', String(accountId), '--name', 'E2E');
    const project = ['--project', String(projectId)];
    const { key, keyId } = await run('key', 'create', ...project, '--mode', 'test');
    const authorization = { Authorization: `Bearer ${String(key)}` };

    const first = await ping(gateway, { ...authorization, 'Idempotency-Key': 'idempotency-key-k' });
    const replay = await ping(gateway, { ...authorization, 'Idempotency-Key': 'idempotency-key-k' });
    expect([first.status, replay.status]).toEqual([200, 200]);
    expect(replay.headers.get('x-service-idempotency-replayed')).toBe('true');
    expect(replay.headers.get('x-service-quota-remaining')).toBe(first.headers.get('x-service-quota-remaining'));
    const conflict = await ping(
      gateway,
      { ...authorization, 'Idempotency-Key': 'idempotency-key-k' },
      '{"clientRequestId":"b"}',
    );
    expect(await conflict.json()).toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
    // A new minute may begin in between: then the limit is reached in the next one.
    let limited: Response;
    do limited = await ping(gateway, authorization);
    while (limited.status === 200);
    expect(limited.status).toBe(429);
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);

    await run('key', 'revoke', ...project, '--key', String(keyId));
    const revoked = await ping(gateway, authorization);
    expect([revoked.status, await revoked.json()]).toMatchObject([401, { code: 'API_KEY_REVOKED' }]);
    expect(await run('ledger', 'verify', ...project)).toMatchObject({ consistent: true });
  });

  test('joins duplicated headers as API Gateway does: two Authorization headers are no key', async () => {
    const request = httpRequest(gateway.url + PING, { method: 'POST' });
    request.setHeader('Authorization', [`Bearer ${gateway.key}`, `Bearer ${gateway.key}`]);
    request.end('{}');
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(401);
    response.resume();
  });

  test('answers what API Gateway would refuse by itself in the envelope', async () => {
    const tooLarge = await ping(gateway, {}, 'x'.repeat(10 * 1024 * 1024 + 1));
    expect([tooLarge.status, await tooLarge.json()]).toMatchObject([413, { ok: false, code: 'PAYLOAD_TOO_LARGE' }]);
  });

  test('answers unknown paths, other methods and HEAD as deployed', async () => {
    expect((await fetch(`${gateway.url}/nowhere?a=b`)).status).toBe(404);
    const head = await fetch(gateway.url + PING, { method: 'HEAD' });
    expect([head.status, head.headers.get('allow'), await head.text()]).toEqual([405, 'POST, OPTIONS', '']);
  });
});

describe('a stop', () => {
  test.each([
    // As `kill` and Ctrl-C send them.
    ['SIGTERM', 'process'],
    ['SIGINT', 'group'],
  ] as const)(
    'by %s to the %s answers the request in flight, then ends gateway and database',
    async (signal, whole) => {
      const gateway = await gatewayWith();
      const request = httpRequest(gateway.url + PING, {
        method: 'POST',
        headers: { Authorization: `Bearer ${gateway.key}`, 'Content-Type': 'application/json', 'Content-Length': 2 },
      });
      request.write('{');
      await until(async () => (await fetch(`${gateway.url}/api/v1/health`)).ok);
      const ended = end(gateway, signal, whole);
      // Under npm a signal to the group arrives twice: npm passes on its own.
      gateway.child.kill(signal);
      await until(async () => !(await listens(gateway.url)));
      request.end('}');
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      expect([response.statusCode, response.headers.connection]).toEqual([200, 'close']);
      response.resume();
      expect(await ended).toBe(0);
      expect(await listens(gateway.databaseUrl)).toBe(false);
    },
  );

  test('is not held up by a connection on which nothing was sent', async () => {
    const gateway = await gatewayWith();
    const silent = connect(Number(portOf(gateway.url)), '127.0.0.1').on('error', () => undefined);
    await once(silent, 'connect');
    const stoppedAt = performance.now();
    expect(await end(gateway)).toBe(0);
    // The server gives requests in flight four seconds, and must not wait for this connection.
    expect(performance.now() - stoppedAt).toBeLessThan(3_000);
    silent.destroy();
  });

  test('by the death of the database is reported, and leaves nothing behind', async () => {
    const gateway = await gatewayWith();
    const { stdout } = await promisify(execFile)('pgrep', ['-P', String(gateway.child.pid)]);
    process.kill(Number(stdout), 'SIGKILL');
    expect(await gateway.exited).toBe(1);
    expect(gateway.stderr).toBe('The database ended by itself; stopping.\n');
    expect(await listens(gateway.databaseUrl)).toBe(false);
  });

  test('by kill -9 of npm, which cannot pass it on, takes gateway and database with it', async () => {
    const environment = { PATH: process.env.PATH ?? '', ...FREE_PORTS, PORTAL: 'off', npm_lifecycle_event: 'start' };
    const parent = spawn('sh', ['-c', `"${process.execPath}" bin/local.ts; true`], {
      env: environment,
      detached: true,
    });
    let stdout = '';
    parent.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    await until(() => stdout.includes('curl -i'));
    const [gatewayUrl = '', databaseUrl = ''] = stdout.match(/http:\S+:\d+(?=[ \n])/g) ?? [];
    parent.kill('SIGKILL');
    await until(async () => !(await listens(gatewayUrl)) && !(await listens(databaseUrl)));
  });

  test('by kill -9 of the gateway takes the database with it', async () => {
    const gateway = await gatewayWith();
    await end(gateway, 'SIGKILL');
    await until(async () => !(await listens(gateway.databaseUrl)));
  });
});

describe('a port in use', () => {
  test.each(['PORT', 'DYNAMODB_PORT'])('(%s) gets one clear line and a non-zero exit', async (name) => {
    const occupant = createServer().listen(0, '127.0.0.1');
    await once(occupant, 'listening');
    const { port } = occupant.address() as AddressInfo;
    const running = run('local.ts', [], { ...FREE_PORTS, [name]: String(port) });
    expect(await running.exited).toBe(1);
    expect(running.stderr).toBe(`Port ${port} is in use. Set ${name} to a free one.\n`);
    expect(running.stdout).toBe('');
    occupant.close();
  });
});

describe('a setting that cannot be used', () => {
  test.each([
    [{ PORT: 'eighty' }, /^PORT must be a port number from 0 to 65535\.$/],
    [{ DYNAMODB_PORT: '65536' }, /^DYNAMODB_PORT must be a port number from 0 to 65535\.$/],
    [{ QUOTA_PERIOD: 'year' }, /^QUOTA_PERIOD must be month or day\.$/],
    [
      { SUPPORT_URL: 'javascript:alert(1)' },
      /^SUPPORT_URL must be like https:\/\/help\.example\.com or mailto:help@example\.com\.$/,
    ],
    [{ AWS_ENDPOINT_URL_DYNAMODB: 'localhost:8000' }, /^AWS_ENDPOINT_URL_DYNAMODB must be a URL such as .*$/],
    [{ AWS_ENDPOINT_URL_DYNAMODB: 'ftp://localhost' }, /^AWS_ENDPOINT_URL_DYNAMODB must be a URL such as .*$/],
    [
      { AWS_ENDPOINT_URL_DYNAMODB: 'http://192.0.2.1' },
      /^KEY_TAG_SECRETS must be set to the secrets of the gateway that has this database\.$/,
    ],
    [
      { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1', KEY_TAG_SECRETS: 'short' },
      /^KEY_TAG_SECRETS must be one or more secrets, (?!.*short).*$/,
    ],
  ])('%j is told in one line', (setting, message) => {
    expect(() => localSettings({ ...FREE_PORTS, ...setting })).toThrow(message);
  });

  test.each([
    [{ PORT: 'eighty' }, /^PORT must be a port number from 0 to 65535\.\n$/],
    [{ DATA_DIR: '/dev/null/data' }, /^ENOTDIR: .*\/dev\/null\/data'\n$/],
  ])('%j ends the start with one clear line and a non-zero exit', async (setting, message) => {
    const running = run('local.ts', [], { ...FREE_PORTS, ...setting });
    expect(await running.exited).toBe(1);
    expect(running.stderr).toMatch(message);
    expect(running.stdout).toBe('');
  });
});

describe('with DATA_DIR', () => {
  test('data and demo key survive a restart; the key file is its owner’s alone', async () => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'gateway-'));
    try {
      const first = await gatewayWith({ DATA_DIR });
      expect((await ping(first, { 'Idempotency-Key': 'idempotency-key-k' })).status).toBe(200);
      await end(first);
      const second = await gatewayWith({ DATA_DIR });
      expect(second.key).toBe(first.key);
      const replay = await ping(second, { 'Idempotency-Key': 'idempotency-key-k' });
      expect(replay.headers.get('x-service-idempotency-replayed')).toBe('true');
      const file = join(DATA_DIR, 'demo.json');
      expect((await stat(file)).mode & 0o777).toBe(0o600);

      // A demo key that no longer works is replaced, and the file is no longer readable for others.
      const local = { DYNAMODB_PORT: portOf(second.databaseUrl) };
      const { keyId } = JSON.parse(await readFile(file, 'utf8')) as { keyId: string };
      const rotate = ['key', 'rotate', '--project', second.projectId, '--key', keyId, '--grace', '0s', '--local'];
      expect((await admin(rotate, local)).status).toBe(0);
      await chmod(file, 0o644);
      await end(second);
      const third = await gatewayWith({ DATA_DIR });
      expect(third.key).not.toBe(first.key);
      expect((await ping(third)).status).toBe(200);
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    } finally {
      await rm(DATA_DIR, { recursive: true });
    }
  });
});

describe('a demo key that cannot be kept', () => {
  test('ends the start with one line, and is not made again and again', async () => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'gateway-'));
    try {
      await mkdir(join(DATA_DIR, 'demo.json'));
      const running = run('local.ts', [], { ...FREE_PORTS, DATA_DIR });
      expect(await running.exited).toBe(1);
      expect(running.stderr).toMatch(/^E[A-Z]+: .*demo\.json.*\n$/);
    } finally {
      await rm(DATA_DIR, { recursive: true });
    }
  });
});

describe('with AWS_ENDPOINT_URL_DYNAMODB', () => {
  let owner: RunningGateway;
  beforeAll(async () => {
    owner = await onOwnDatabase({ PORTAL: 'off' });
  });
  afterAll(async () => {
    await end(owner);
  });

  test('the demo key is kept in DATA_DIR, which is made if absent', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'gateway-'));
    try {
      const external = { AWS_ENDPOINT_URL_DYNAMODB: owner.databaseUrl, DATA_DIR: join(parent, 'new', 'data') };
      const first = await gatewayWith(external);
      await end(first);
      expect((await gatewayWith(external)).key).toBe(first.key);
    } finally {
      await rm(parent, { recursive: true });
    }
  });

  test('the caller’s own AWS configuration does not lead elsewhere', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'gateway-'));
    try {
      const AWS_CONFIG_FILE = join(directory, 'config');
      await writeFile(AWS_CONFIG_FILE, '[default]\nignore_configured_endpoint_urls = true\nuse_fips_endpoint = true\n');
      expect((await ping(await gatewayWith({ AWS_CONFIG_FILE }))).status).toBe(200);
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  test('several gateways share a database, which none of them stops', async () => {
    const AWS_ENDPOINT_URL_DYNAMODB = owner.databaseUrl;
    const guest = await gatewayWith({ AWS_ENDPOINT_URL_DYNAMODB, AWS_PROFILE: 'mine', AWS_REGION: 'eu-central-1' });
    const headers = { Authorization: `Bearer ${owner.key}`, 'Idempotency-Key': 'idempotency-key-k' };
    expect((await ping(owner, headers)).status).toBe(200);
    expect((await ping(guest, headers)).headers.get('x-service-idempotency-replayed')).toBe('true');
    expect(await end(guest)).toBe(0);
    expect((await ping(owner, headers)).status).toBe(200);
  });

  test('the keys of another gateway are taken under its KEY_TAG_SECRETS, and only then', async () => {
    const AWS_ENDPOINT_URL_DYNAMODB = owner.databaseUrl;
    const secret = 'canary-secret-of-another-gateway-0';
    const guest = await gatewayWith({ AWS_ENDPOINT_URL_DYNAMODB, KEY_TAG_SECRETS: secret });
    const authorization = { Authorization: `Bearer ${owner.key}` };
    expect([(await ping(guest)).status, (await ping(guest, authorization)).status]).toEqual([200, 401]);
    const both = `${secret},${LOCAL_KEY_TAG_SECRET}`;
    const changed = await gatewayWith({ AWS_ENDPOINT_URL_DYNAMODB, KEY_TAG_SECRETS: both });
    expect([(await ping({ ...changed, key: guest.key })).status, (await ping(changed, authorization)).status]).toEqual([
      200, 200,
    ]);
    await end(changed);
    expect(changed.stdout + changed.stderr).not.toContain('canary');
  });

  test('a database that does not answer: health is 200, ping 503; when it comes, all is well', async () => {
    const port = await unusedPort();
    const running = run('local.ts', [], {
      PORT: '0',
      PORTAL: 'off',
      AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}`,
    });
    started.push(running);
    await until(() => running.stderr.includes('\n'));
    const url = /http:\S+\d/.exec(running.stderr)?.[0] ?? '';
    expect(running.stderr).toBe(`Listening on ${url}, waiting for the database at http://127.0.0.1:${port} …\n`);
    expect((await fetch(`${url}/api/v1/health`)).status).toBe(200);
    const away = await ping({ ...owner, url });
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '1']);
    await gatewayWith({ DYNAMODB_PORT: String(port) });
    expect((await ping(await banner(running))).status).toBe(200);
  });
});
