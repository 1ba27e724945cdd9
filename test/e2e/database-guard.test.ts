import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chooseEngine, ENGINES } from '../../local/engines.ts';
import { startGuard } from '../../local/guard.ts';
import { startGuardedDatabase } from '../../local/guarded-database.ts';
import { end, onOwnDatabase, portOf, type RunningGateway } from '../support/processes.ts';
import { startsInTests } from '../support/starting.ts';

const pgrep = async (parent: number | undefined): Promise<number> =>
  Number((await promisify(execFile)('pgrep', ['-P', String(parent)])).stdout);

const start = startsInTests();
let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await onOwnDatabase({ PORTAL: 'off' });
});
afterAll(async () => {
  await end(gateway);
});

/** A call like the AWS SDK's, with these headers changed. */
async function listTables(headers: Record<string, string>, method = 'POST') {
  const credential = 'Credential=local/20260101/us-east-1/dynamodb/aws4_request';
  const request = httpRequest(gateway.databaseUrl, {
    method,
    headers: {
      'X-Amz-Target': 'DynamoDB_20120810.ListTables',
      'X-Amz-Date': '20260101T000000Z',
      'Content-Type': 'application/x-amz-json-1.0',
      Authorization: `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=host, Signature=0`,
      ...headers,
    },
  });
  request.end(method === 'POST' ? '{}' : undefined);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

describe('the database of npm start', () => {
  test('serves programs of this machine, whatever they call it', async () => {
    for (const host of ['127.0.0.1', 'localhost:8000', 'LOCALHOST', '[::1]:8000', '127.8.8.8']) {
      const answer = await listTables({ Host: host });
      expect([host, answer.status, answer.body]).toEqual([host, 200, '{"TableNames":["Gateway","Usage"]}']);
    }
  });

  test('answers no web page: nothing with an Origin gets through, its preflight included', async () => {
    const origins = ['http://evil.example', 'null', 'http://localhost:5173', gateway.url, gateway.databaseUrl, ''];
    for (const origin of origins) {
      for (const method of ['POST', 'OPTIONS', 'GET']) {
        const { status, headers, body } = await listTables({ Origin: origin }, method);
        expect([origin, method, status, body]).toEqual([origin, method, 403, 'Programs of this machine only.\n']);
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
      }
    }
  });

  test('answers no page that calls this machine by a name of its own: nothing with a foreign Host gets through', async () => {
    const hosts = ['evil.example', 'evil.example:8000', '127.0.0.1.evil.example', 'localhost.evil.example', '0.0.0.0'];
    for (const host of [...hosts, '192.168.0.1', '[::2]', '127.0.0.1@evil.example', 'localhost evil.example']) {
      expect([host, (await listTables({ Host: host })).status]).toEqual([host, 403]);
    }
  });

  test('is served by an engine that a page cannot find, or which lets no page in', async () => {
    const engine = await pgrep(await pgrep(gateway.child.pid));
    const command = (await readFile(`/proc/${engine}/cmdline`, 'utf8')).split('\0');
    expect(command).not.toContain(portOf(gateway.databaseUrl));
    const after = (option: string) => command[command.indexOf(option) + 1];
    if (chooseEngine().name === 'dynoxide') expect(after('--host')).toMatch(/^127\.(?!0\.0\.)\d+\.\d+\.\d+$/);
    else expect(after('-cors')).toBe('https://nobody.invalid');
  });
});

describe('the guard of a database', () => {
  /** The guard's response when the engine behind it behaves like this. */
  async function through(engine: RequestListener | 'away' | 'not ready', body = '{}') {
    const guard = await startGuard(0);
    const server = createServer(engine instanceof Function ? engine : undefined).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    if (engine === 'away') await promisify(server.close.bind(server))();
    if (engine !== 'not ready') guard.open({ host: '127.0.0.1', port });
    try {
      const headers = { 'x-amz-target': 'T' };
      const response = await fetch(`http://127.0.0.1:${guard.port}/path?q`, { method: 'POST', headers, body });
      return { status: response.status, headers: response.headers, body: await response.text() };
    } finally {
      guard.close();
      server.close();
      server.closeAllConnections();
    }
  }

  test('passes on request and answer as they are, however large', async () => {
    const large = 'x'.repeat(3_000_000);
    const echo: RequestListener = (request, response) => {
      const { method = '', url = '', headers } = request;
      response.writeHead(400, { 'x-seen': `${method} ${url} ${String(headers['x-amz-target'])}` });
      request.pipe(response);
    };
    const answer = await through(echo, large);
    expect([answer.status, answer.headers.get('x-seen')]).toEqual([400, 'POST /path?q T']);
    expect(answer.body === large).toBe(true);
  });

  test.each(['away', 'not ready'] as const)('answers "not now" when the engine is %s', async (state) => {
    expect((await through(state)).status).toBe(503);
  });

  test('does not complete an answer that the engine breaks off', async () => {
    const breakOff: RequestListener = (_request, response) =>
      response.writeHead(200, { 'content-length': 100 }).write('{', () => response.socket?.resetAndDestroy());
    await expect(through(breakOff)).rejects.toThrow();
  });

  test('tells on which port it cannot listen', async () => {
    const guard = await startGuard(0);
    await expect(startGuard(guard.port)).rejects.toThrow(
      `Port ${guard.port} is in use. Set DYNAMODB_PORT to a free one.`,
    );
    guard.close();
  });
});

test('an engine that listens on every address refuses the preflight of every page', async () => {
  const engine = ENGINES['dynamodb-local']();
  if (engine === undefined) return;
  const database = await startGuardedDatabase(engine, 0);
  for (const Origin of ['http://evil.example', 'null', 'https://nobody.invalid.evil.example']) {
    const preflight = {
      Origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'x-amz-target',
    };
    const request = httpRequest(database.address.endpoint, { method: 'OPTIONS', headers: preflight }).end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.resume();
    expect([Origin, response.headers['access-control-allow-origin']]).toEqual([Origin, undefined]);
  }
  await database.stop();
});

describe('DATA_DIR', () => {
  test('that was there keeps its mode, and what is not ours in it its own; our files become their owner’s alone', async () => {
    const DATA_DIR = await start.directory();
    await end(await start.gateway({ DATA_DIR }));
    for (const file of await readdir(DATA_DIR)) await chmod(join(DATA_DIR, file), 0o644);
    await chmod(DATA_DIR, 0o755);
    await writeFile(join(DATA_DIR, 'notes.txt'), 'mine', { mode: 0o644 });
    await mkdir(join(DATA_DIR, 'more'), { mode: 0o755 });
    await end(await start.gateway({ DATA_DIR }));
    const others = new Set(['notes.txt', 'more']);
    for (const file of await readdir(DATA_DIR)) {
      const mode = (await stat(join(DATA_DIR, file))).mode & 0o777;
      expect([file, mode & 0o077]).toEqual([file, others.has(file) ? expect.any(Number) : 0]);
    }
    expect((await stat(DATA_DIR)).mode & 0o777).toBe(0o755);
    expect((await stat(join(DATA_DIR, 'notes.txt'))).mode & 0o777).toBe(0o644);
  });
});
