import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { PING_PATH } from '../../functions/gateway/operations/ping.ts';
import { HEALTH_PATH } from '../../functions/shared/names.ts';
import { localSettings } from '../../local/settings.ts';
import { completed, end, FREE_PORTS, listens, run, until } from '../support/processes.ts';
import { startsInTests } from '../support/starting.ts';

const start = startsInTests();

/** A request in flight: it was connected and sent before another request that was answered. */
async function begin(url: string, headers: Readonly<Record<string, string>>, other: string) {
  const all = { 'Content-Type': 'application/json', 'Content-Length': 2, ...headers };
  const request = httpRequest(url, { method: 'POST', headers: all });
  request.write('{');
  const [socket] = (await once(request, 'socket')) as [Socket];
  if (socket.connecting) await once(socket, 'connect');
  await until(async () => (await fetch(other)).ok);
  return async () => {
    request.end('}');
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    return [response.statusCode, response.headers.connection];
  };
}

describe('a stop', () => {
  test.each([
    // As `kill` and Ctrl-C send them.
    ['SIGTERM', 'process'],
    ['SIGINT', 'group'],
  ] as const)('by %s to the %s answers the requests in flight, then ends all parts', async (signal, whole) => {
    const site = await start.portal();
    const signIn = await fetch(`${site.portalUrl}/api/sign-in`, { redirect: 'manual' });
    const authorization = { Authorization: `Bearer ${site.key}` };
    const ping = await begin(site.url + PING_PATH, authorization, site.url + HEALTH_PATH);
    const origin = { origin: site.portalUrl };
    const signOut = await begin(`${site.portalUrl}/api/sign-out`, origin, `${site.portalUrl}/`);
    const ended = end(site, signal, whole);
    // Under npm a signal to the group arrives twice: npm passes on its own.
    site.child.kill(signal);
    await until(async () => !(await listens(site.url)) && !(await listens(site.portalUrl)));
    expect([await ping(), await signOut()]).toEqual([
      [200, 'close'],
      [401, 'close'],
    ]);
    expect(await ended).toBe(0);
    for (const url of [signIn.headers.get('location') ?? '', site.databaseUrl]) expect(await listens(url)).toBe(false);
  });

  test('by the death of the database is reported, and leaves nothing behind', async () => {
    const gateway = await start.gateway();
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
    try {
      await until(() => stdout.includes('curl -i'));
    } finally {
      parent.kill('SIGKILL');
    }
    const [gatewayUrl = '', databaseUrl = ''] = stdout.match(/http:\S+:\d+(?=[ \n])/g) ?? [];
    await until(async () => !(await listens(gatewayUrl)) && !(await listens(databaseUrl)));
  });

  test('by kill -9 of the gateway takes the database with it', async () => {
    const gateway = await start.gateway();
    await end(gateway, 'SIGKILL');
    await until(async () => !(await listens(gateway.databaseUrl)));
  });
});

describe('a port in use', () => {
  test.each([
    ['PORT', '127.0.0.1'],
    ['PORTAL_PORT', '::1'],
  ])('(%s, on %s) gets one clear line and a non-zero exit', async (name, host) => {
    // A failure leaves it open. That must not keep jest from its end.
    const occupant = createServer().unref().listen(0, host);
    await once(occupant, 'listening');
    const { port } = occupant.address() as AddressInfo;
    const running = start.begin({ [name]: String(port) });
    expect(await running.exited).toBe(1);
    expect(running.stderr).toBe(`Port ${port} is in use. Set ${name} to a free one.\n`);
    expect(running.stdout).toBe('');
    occupant.close();
  });
});

describe('a setting that cannot be used', () => {
  test.each([
    [{ PORT: 'eighty' }, /^PORT must be a port number from 0 to 65535\.$/],
    [{ PORTAL: 'yes' }, /^PORTAL must be on or off\.$/],
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

  test('--help names each variable of the documentation, and starts nothing', async () => {
    const page = readFileSync('docs/contributing.md', 'utf8');
    const names = [...page.matchAll(/^\| `([A-Z_]+)`/gm)].map(([, name]) => name);
    const { status, stdout, stderr } = await completed(run('local.ts', ['--help'], FREE_PORTS));
    expect([status, stderr]).toEqual([0, '']);
    expect([...stdout.matchAll(/^ {2}([A-Z_]+)/gm)].map(([, name]) => name)).toEqual(names);
    expect(names).toEqual(expect.arrayContaining(['PORT', 'PORTAL_PORT', 'DATA_DIR', 'POWERTOOLS_LOG_LEVEL']));
    expect(stdout).not.toMatch(/`|\]\(|Gateway +http/);
  });

  test('another argument ends the start with one clear line and a non-zero exit', async () => {
    const { status, stdout, stderr } = await completed(run('local.ts', ['--port=1'], FREE_PORTS));
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toBe('npm start takes variables alone: see npm start -- --help.\n');
  });

  test('a demo key that cannot be kept is not made again and again', async () => {
    const DATA_DIR = await start.directory();
    await mkdir(join(DATA_DIR, 'demo.json'));
    const running = start.begin({ DATA_DIR });
    expect(await running.exited).toBe(1);
    expect(running.stderr).toMatch(/^E[A-Z]+: .*demo\.json.*\n$/);
  });
});
