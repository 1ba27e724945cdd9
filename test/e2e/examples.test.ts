import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { completed, end, portOf, runCommand, until, type Variables } from '../support/processes.ts';
import { cliOfGateway, type GatewayCli } from '../support/cli.ts';
import { IS_FULL } from '../support/extent.ts';
import { PYTHON_PROGRAM, testInPython, WITH_LIBRARY } from '../support/python.ts';
import { scriptedServer, type Step } from '../support/scripted-server.ts';

const OWN = { 'X-Service-Request-Id': 'r' };
const READY: Step = {
  status: 200,
  headers: OWN,
  body: { ok: true, mode: 'sandbox', message: 'ready', requestId: 'r' },
};
const problem = (status: number, code: string, headers: Record<string, string> = {}): Step => ({
  status,
  headers: { ...headers, 'Content-Type': 'application/problem+json', 'X-Service-Request-Id': 'r' },
  body: { status, ok: false, code, detail: 'no', requestId: 'r' },
});
const UNAVAILABLE = problem(503, 'SERVICE_UNAVAILABLE', { 'Retry-After': '0' });
const DAY_SECONDS = '86400';
const SECRET = 'svc_test_secret';
const WEBHOOK_SECRET = `whsec_${Buffer.from('a secret of a test, 32 bytes or so').toString('base64')}`;
const execute = promisify(execFile);
/** Each case starts a program: a landing tries the first ones. */
const some = <Case>(cases: readonly Case[], atLanding: number): readonly Case[] =>
  IS_FULL ? cases : cases.slice(0, atLanding);

const servers: Awaited<ReturnType<typeof scriptedServer>>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});
async function serverThat(...steps: readonly Step[]) {
  const server = await scriptedServer(...steps);
  servers.push(server);
  return server;
}

/** The variables of an example. */
const named = (key: string, url: string): Variables => ({
  SANDBOX_GATEWAY_API_KEY: key,
  SANDBOX_GATEWAY_BASE_URL: url,
});

/** Each example as a program: its output and its exit status. */
const PROGRAMS = [
  ['examples/ping.sh', 'bash', test],
  ['examples/typescript/ping.ts', process.execPath, test],
  ['examples/python/ping.py', PYTHON_PROGRAM, testInPython],
] as const;
const runExample = (file: string, command: string, variables: Variables, ...args: string[]) =>
  completed(runCommand(command, [file, ...args], { ...WITH_LIBRARY, ...variables }));

describe('against the gateway', () => {
  let gateway: GatewayCli;
  let key: string;
  beforeAll(async () => {
    gateway = await cliOfGateway();
    ({ key } = await gateway.newKey(await gateway.newProject()));
  });
  afterAll(() => gateway.close());

  describe.each(PROGRAMS)('%s', (file, command, testHere) => {
    testHere('sends a ping and shows what is left', async () => {
      const result = await runExample(file, command, named(key, gateway.url));
      expect(result).toMatchObject({ status: 0, stderr: '' });
      expect(result.stdout).toContain('Sandbox gateway is ready.');
      expect(result.stdout).toMatch(/^Rate: \d+ of 60 requests left/m);
      expect(result.stdout).toMatch(/^Quota: \d+ of 10000 request.units left/m);
    });

    testHere('shows a refusal once, and fails', async () => {
      const result = await runExample(file, command, named('svc_test_wrong', gateway.url));
      expect(result.status).toBe(1);
      expect(result.stdout + result.stderr).toContain('INVALID_API_KEY');
      expect(result.stderr).not.toContain('trying again');
    });

    testHere('says that it has no key', async () => {
      const result = await runExample(file, command, named('', 'http://127.0.0.1:9'));
      expect([result.status, result.stderr]).toEqual([
        1,
        expect.stringMatching(/^.*(Set SANDBOX_GATEWAY_API_KEY|missing).*\n$/),
      ]);
    });

    testHere('says that it tries again, and when', async () => {
      const server = await serverThat(UNAVAILABLE, READY);
      const result = await runExample(file, command, named('svc_test_key', server.url));
      expect([result.status, result.stderr]).toEqual([0, expect.stringMatching(/^.*trying again.*\n$/)]);
    });
  });
});

/** The other programs use the libraries; e2e/clients/networks.test.ts tests those. */
describe('examples/ping.sh', () => {
  async function succeeds(url: string, timeoutSeconds = 10): Promise<boolean> {
    const variables = { ...named('svc_test_key', url), TIMEOUT_SECONDS: `${timeoutSeconds}` };
    return (await runExample('examples/ping.sh', 'bash', variables, '{"clientRequestId":"a"}')).status === 0;
  }

  const repeated: readonly (readonly [string, Step])[] = [
    ['503', UNAVAILABLE],
    ["API Gateway's own 429", { status: 429, body: { message: 'Too Many Requests' } }],
    ['a lost connection', 'hangUp'],
    ['a time-out', 'silence'],
    ['500', problem(500, 'INTERNAL_ERROR')],
    ['429', problem(429, 'RATE_LIMIT_EXCEEDED', { 'Retry-After': '0' })],
    ["API Gateway's own 502", { status: 502, body: { message: 'Internal Server Error' } }],
  ];
  test.each(some(repeated, 4))(
    'repeats the same request under the same Idempotency-Key after %s',
    async (_what, step) => {
      const server = await serverThat(step, READY);
      expect(await succeeds(server.url, step === 'silence' ? 1 : undefined)).toBe(true);
      const [first, ...others] = server.requests;
      // On a busy machine the second answer may also be too late, and then there is another attempt.
      expect(others.length).toBeGreaterThanOrEqual(1);
      expect(first?.headers['idempotency-key']).toMatch(/^[\x21-\x7E]{32,255}$/);
      expect(first?.headers.authorization).toBe('Bearer svc_test_key');
      expect(JSON.parse(first?.body ?? '')).toEqual({ clientRequestId: 'a' });
      for (const other of others) {
        expect(other.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
        expect(other.body).toBe(first?.body);
      }
    },
  );

  test('waits for as long as Retry-After says', async () => {
    const server = await serverThat(problem(503, 'SERVICE_UNAVAILABLE', { 'Retry-After': '1' }), READY);
    const startedAt = performance.now();
    expect(await succeeds(server.url)).toBe(true);
    // A timer of Node may end a millisecond early.
    expect(performance.now() - startedAt).toBeGreaterThan(990);
  });

  test.each(some(['Wed, 21 Oct 2015 07:28:00 GMT', 'soon', '-5'], 1))(
    'does not wait for a Retry-After that is no number: %s',
    async (value) => {
      const server = await serverThat(problem(503, 'SERVICE_UNAVAILABLE', { 'Retry-After': value }), READY);
      expect(await succeeds(server.url)).toBe(true);
      expect(server.requests).toHaveLength(2);
    },
  );

  test('sends a key to this machine through no proxy, and in clear text nowhere else', async () => {
    const [server, proxy] = [await serverThat(READY), await serverThat(READY)];
    const environment = { http_proxy: proxy.url, all_proxy: proxy.url };
    const near = { ...named('svc_test_key', server.url), ...environment };
    expect((await runExample('examples/ping.sh', 'bash', near)).status).toBe(0);
    for (const far of ['http://gateway.example', `http://127.0.0.1:${portOf(server.url)}@gateway.example`]) {
      const refused = await runExample('examples/ping.sh', 'bash', { ...named('svc_test_key', far), ...environment });
      expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('must begin with https://')]);
    }
    expect([server.requests.length, proxy.requests.length]).toEqual([1, 0]);
  });

  test('prints neither the key that a server echoes, nor what a terminal obeys', async () => {
    const server = await serverThat(problem(400, `${SECRET}\u001b]0;x\u0007\u009b2J`));
    const result = await runExample('examples/ping.sh', 'bash', named(SECRET, server.url));
    expect(result.stdout).toContain('[API key]');
    expect(result.stdout).not.toMatch(/svc_test_secret|[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });

  test('takes another Idempotency-Key for the next ping', async () => {
    const server = await serverThat(READY);
    await succeeds(server.url);
    await succeeds(server.url);
    expect(new Set(server.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(2);
  });

  const final: readonly (readonly [string, Step])[] = [
    ['429 until a far day', problem(429, 'QUOTA_EXCEEDED', { 'Retry-After': DAY_SECONDS })],
    ['503 until after all time', problem(503, 'SERVICE_UNAVAILABLE', { 'Retry-After': '9'.repeat(400) })],
    ...[400, 401, 403, 409, 413, 415].map((status) => [`${status}`, problem(status, 'CODE')] as const),
  ];
  test.each(some(final, 3))('does not repeat after %s', async (_what, step) => {
    const server = await serverThat(step, READY);
    expect(await succeeds(server.url)).toBe(false);
    expect(server.requests).toHaveLength(1);
  });
});

test('examples/ping.sh shows the key to nobody who lists the processes', async () => {
  const server = await serverThat('silence');
  const { child, exited } = runCommand('bash', ['examples/ping.sh'], named(SECRET, server.url));
  await until(() => server.requests.length > 0);
  // Only its own process group: other programs on this machine may show a key.
  const { stdout: ids } = await execute('pgrep', ['-g', String(child.pid)]);
  const { stdout: listing } = await execute('ps', ['-ww', '-o', 'args=', '-p', ids.trim().split('\n').join(',')]);
  process.kill(-(child.pid ?? 0), 'SIGTERM');
  await exited;
  expect(server.requests[0]?.headers.authorization).toContain(SECRET);
  expect(listing).toContain('Idempotency-Key: ');
  expect(listing).not.toContain(SECRET);
});

describe('what sends a management token', () => {
  const TOKEN = 'svc_mgmt_secret';

  describe.each([
    ['examples/typescript/manage.ts', process.execPath, test],
    ['examples/python/manage.py', PYTHON_PROGRAM, testInPython],
  ])('%s', (file, command, testHere) => {
    const run = (url: string) =>
      runExample(file, command, {
        SANDBOX_MANAGEMENT_TOKEN: TOKEN,
        SANDBOX_MANAGEMENT_BASE_URL: `${url}/manage/v1`,
      });

    testHere.each([302, 308])('follows no %s: the token stays', async (status) => {
      const other = await serverThat({ status: 200, body: { projects: [], keys: [] } });
      const server = await serverThat({ status, headers: { Location: `${other.url}/x` }, body: {} });
      const { status: exit, stdout, stderr } = await run(server.url);
      expect([exit, server.requests.length, other.requests.length]).toEqual([1, 1, 0]);
      expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
      expect(stdout + stderr).not.toContain(TOKEN);
    });

    testHere('sends it in clear text to this machine alone', async () => {
      for (const far of [
        'http://portal.example',
        'http://127.0.0.1@portal.example',
        'http://localhost.portal.example',
      ]) {
        const { status, stdout, stderr } = await run(far);
        expect([status, stdout, stderr]).toEqual([1, '', expect.stringContaining('must begin with https://')]);
      }
    });
  });
});

/** A delivery: its headers, and its body. */
type Sent = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature' | 'body', string>;

describe.each([
  ['examples/webhooks/receive.ts', process.execPath, test],
  ['examples/webhooks/receive.py', PYTHON_PROGRAM, testInPython],
])('%s', (file, command, testHere) => {
  const start = async () => {
    const running = runCommand(command, [file], { ...WITH_LIBRARY, WEBHOOK_SECRET, PORT: '0' });
    await until(() => running.stdout.includes('Waiting at '));
    return { running, url: /http:\S+/.exec(running.stdout)?.[0] ?? '' };
  };
  const webhook = new Webhook(WEBHOOK_SECRET);
  const body = JSON.stringify({ type: 'endpoint.test', timestamp: '2026-11-27T12:00:00Z', data: { note: 'Zürich' } });
  async function send(
    url: string,
    id: string,
    ageSeconds = 0,
    change: (right: string) => Partial<Sent> = () => ({}),
  ): Promise<number> {
    const at = new Date(Date.now() - ageSeconds * 1_000);
    const right = webhook.sign(id, at, body);
    const own = { 'webhook-id': id, 'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)), body };
    const { body: sent, ...headers } = { ...own, 'webhook-signature': right, ...change(right) };
    return (await fetch(url, { method: 'POST', body: sent, headers })).status;
  }

  testHere('takes what is signed with its secret, as the library of the standard signs, and nothing else', async () => {
    const { running, url } = await start();
    const wrong = new Webhook(Buffer.alloc(32).toString('base64')).sign('ntc_wrong', new Date(), body);
    try {
      expect([await send(url, 'ntc_first'), await send(url, 'ntc_first')]).toEqual([204, 204]);
      expect(await send(url, 'ntc_late', 290)).toBe(204);
      // For a day after a rotation there are two.
      expect(await send(url, 'ntc_both', 0, (right) => ({ 'webhook-signature': `${wrong} ${right}` }))).toBe(204);
      expect(await send(url, 'ntc_old', 310)).toBe(401);
      expect(await send(url, 'ntc_early', -310)).toBe(401);
      expect(await send(url, 'ntc_wrong', 0, () => ({ 'webhook-signature': wrong }))).toBe(401);
      expect(await send(url, 'ntc_another', 0, () => ({ 'webhook-id': 'ntc_first' }))).toBe(401);
      expect(await send(url, 'ntc_changed', 0, () => ({ body: body.replace('test', 'best') }))).toBe(401);
      expect(await send(url, 'ntc_none', 0, () => ({ 'webhook-signature': '' }))).toBe(401);
      expect(await send(url, 'ntc_when', 0, () => ({ 'webhook-timestamp': 'now' }))).toBe(401);
    } finally {
      await end(running);
    }
    expect(running.stdout).toMatch(/^ntc_first \{.*endpoint\.test.*\}$/m);
    expect(running.stdout).toMatch(/^ntc_first again$/m);
    expect(running.stdout).toMatch(/is not signed with this secret$/m);
    expect(running.stdout).not.toContain('ntc_changed');
  });

  testHere('serves on while strangers connect and say nothing, lie about lengths, or send 200 MB', async () => {
    const { running, url } = await start();
    const { port } = new URL(url);
    const open = async (): Promise<Socket> => {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
      await once(socket, 'connect');
      return socket;
    };
    const head = 'POST / HTTP/1.1\r\nHost: x\r\n';
    const says = async (text: string): Promise<string> => {
      const socket = await open();
      socket.write(text);
      const chunks = await Array.fromAsync(socket as AsyncIterable<Buffer>).catch(() => []);
      return Buffer.concat(chunks).toString();
    };
    try {
      const idle = await Promise.all(Array.from({ length: 20 }, open));
      for (const socket of idle.slice(10)) socket.write(`${head}Content-Length: 10\r\n\r\n`);
      expect(await send(url, 'ntc_idle')).toBe(204);
      expect(await says(`${head}Content-Length: -1\r\n\r\n`)).toMatch(/^HTTP\/1\.[01] 4\d\d /);
      expect(await says(`${head}Content-Length: many\r\n\r\n`)).toMatch(/^HTTP\/1\.[01] 4\d\d /);
      expect(await says(`${head}webhook-id: \x1b]0;x\x07\r\nContent-Length: 0\r\n\r\n`)).not.toContain(' 20');
      const large = await open();
      large.write(`${head}Content-Length: 200000000\r\n\r\n`);
      const chunk = Buffer.alloc(1_000_000);
      let sentBytes = 0;
      while (!large.destroyed && sentBytes < 200_000_000) {
        await new Promise<void>((resolve) => large.write(chunk, () => resolve()));
        sentBytes += chunk.length;
      }
      // What it does not read, fills the buffers of the connection.
      expect(sentBytes).toBeLessThan(50_000_000);
      expect(await send(url, 'ntc_after')).toBe(204);
      for (const socket of idle) socket.destroy();
    } finally {
      await end(running);
    }
    expect(running.stdout + running.stderr).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
  });

  testHere.each(some([`whsec_${Buffer.alloc(8).toString('base64')}`, '', 'whsec_'], 1))(
    'does not start with a secret that is none: %j',
    async (secret) => {
      const result = await runExample(file, command, { WEBHOOK_SECRET: secret, PORT: '0' });
      expect(result).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(/^WEBHOOK_SECRET: .*\n$/) });
    },
  );
});
