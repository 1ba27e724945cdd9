import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { SandboxGateway } from 'sandbox-gateway';
import { API_KEY, network, of, PING, refusal } from './support.mjs';

test('key and address come from the environment', async (t) => {
  const names = ['SANDBOX_GATEWAY_API_KEY', 'SANDBOX_GATEWAY_BASE_URL'];
  t.after(() => names.forEach((name) => delete process.env[name]));
  assert.throws(() => new SandboxGateway(), /SANDBOX_GATEWAY_API_KEY/);
  process.env[names[0]] = ` ${API_KEY}\n`;
  assert.throws(() => new SandboxGateway(), /SANDBOX_GATEWAY_BASE_URL/);
  process.env[names[1]] = 'https://gateway.example/v/';
  const { requests, fetch } = network();
  assert.equal(new SandboxGateway().baseURL, 'https://gateway.example/v');
  const client = new SandboxGateway({ fetch });
  // Once: what changes later is for the next client.
  process.env[names[0]] = 'svc_test_other';
  delete process.env[names[1]];
  for (const options of [undefined, { timeout: 1_000, maxRetries: 1 }]) await client.ping({}, options);
  for (const { url, headers } of requests) {
    assert.equal(url, 'https://gateway.example/v/api/v1/sandbox/ping');
    assert.equal(headers.Authorization, `Bearer ${API_KEY}`);
  }
  assert.equal(requests.length, 2);
});

const INVALID = [
  { apiKey: ' \n' },
  { apiKey: `${API_KEY}\nx` },
  { apiKey: `“${API_KEY}”` },
  { baseURL: '127.0.0.1:3000' },
  { baseURL: 'http://gateway.example' },
  { baseURL: 'http://127.0.0.1.example' },
  { baseURL: `https://${API_KEY}@gateway.example` },
  { baseURL: `https://gateway.example/?key=${API_KEY}` },
  { baseURL: 'https://gateway.example/api/v1/sandbox/ping' },
  { baseURL: 'file:///etc' },
  { timeout: 0 },
  { timeout: 2 ** 31 },
  { maxRetries: -1 },
  { maxRetries: 1.5 },
  { fetch: 'fetch' },
  { onRetry: true },
  { maxConnections: 0 },
  { baseUrl: 'https://gateway.example' },
  { maxWaitMs: 1_000 },
];
const INVALID_IN_A_CALL = [
  { apiKey: API_KEY },
  { baseURL: 'https://gateway.example' },
  { fetch: () => Response.error() },
  { onRetry: () => undefined },
  { headers: 'traceparent' },
  { headers: null },
  { headers: { authorization: `Bearer ${API_KEY}` } },
  { headers: { 'IDEMPOTENCY-KEY': 'order-7' } },
  { headers: { 'Content-Length': '1' } },
  { headers: { 'Proxy-Authorization': 'x' } },
  { headers: { 'X-Key': `of ${API_KEY}` } },
  { headers: { [API_KEY]: 'x' } },
  { headers: { 'X-A': 'a\r\nX-B: b' } },
  { headers: { 'X-A': 'é' } },
  { headers: { 'X-A': 1 } },
  { headers: { 'X A': 'a' } },
  { headers: { 'X-A': ' a' } },
  { headers: { 'X-A': 'a ' } },
  { headers: new Headers({ traceparent: '00-1' }) },
  { headers: new Map([['traceparent', '00-1']]) },
];
const OF_HEADERS = INVALID_IN_A_CALL.filter(({ headers }) => headers !== undefined && headers !== null);
for (const options of [...INVALID, ...INVALID_IN_A_CALL]) {
  test(`refused, without the value: ${JSON.stringify(options).replaceAll(API_KEY, '…')}`, async () => {
    const isSafe = (error) => error instanceof TypeError && !inspect(error).includes(API_KEY.slice(9));
    if (INVALID.includes(options) || OF_HEADERS.includes(options)) assert.throws(() => of(options), isSafe);
    const { requests, fetch } = network();
    await assert.rejects(of({ fetch }).ping({}, options), isSafe);
    assert.equal(requests.length, 0);
  });
}

test('headers are read once: what was checked is what is sent', async () => {
  const { requests, fetch } = network();
  let reads = 0;
  const headers = {
    get 'X-A'() {
      return reads++ === 0 ? 'a' : `a\r\nX-Key: ${API_KEY}`;
    },
  };
  await of({ fetch }).ping({}, { headers });
  assert.deepEqual([reads, requests[0].headers['X-A']], [1, 'a']);
});

for (const [what, request, options] of [
  ['an empty Idempotency-Key', {}, { idempotencyKey: '' }],
  ['one with a space', {}, { idempotencyKey: 'two words' }],
  ['one that is no ASCII', {}, { idempotencyKey: 'é' }],
  ['one of 256 characters', {}, { idempotencyKey: 'k'.repeat(256) }],
  ['a number for it', {}, { idempotencyKey: 7 }],
  ['the API key for it, which an error would show', {}, { idempotencyKey: API_KEY }],
  ['a member of the request among the options', {}, { simulate: 'INTERNAL_ERROR' }],
  ['an option in the request', { idempotencyKey: 'order-7' }, {}],
  ['a member that went', { rehearse: { INTERNAL_ERROR: 1 } }, {}],
  ['a text for the request', 'order-7', {}],
  ['null for the request', null, {}],
]) {
  test(`not sent: ${what}`, async () => {
    const { requests, fetch } = network();
    await assert.rejects(of({ fetch }).ping(request, options), TypeError);
    assert.equal(requests.length, 0);
  });
}

test('shows nothing of its key', () => {
  const client = of();
  const shown = [inspect(client, { depth: Infinity, showHidden: true }), JSON.stringify(client), String(client)];
  assert.ok(!shown.join('').includes(API_KEY.slice(9)), shown.join('\n'));
});

/** Within this test a global is another one. */
function withGlobal(t, name, value) {
  const own = Object.getOwnPropertyDescriptor(globalThis, name);
  t.after(() => (own ? Object.defineProperty(globalThis, name, own) : delete globalThis[name]));
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

for (const [what, name, value] of [
  ['a page', 'document', {}],
  ['a worker of a browser', 'navigator', { userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' }],
  ['an app', 'navigator', { product: 'ReactNative' }],
]) {
  test(`refuses to run in ${what}, unless that is wanted, and then sends no header of a server`, async (t) => {
    withGlobal(t, name, value);
    assert.throws(of, /runs on servers only/);
    assert.throws(() => of({ dangerouslyAllowBrowser: 'no' }), /runs on servers only/);
    // It sends no Accept-Encoding of ours, so what it decompressed is taken.
    const decompressed = () => Response.json(PING, { headers: { 'Content-Encoding': 'br' } });
    const { requests, fetch } = network(decompressed);
    await of({ fetch, dangerouslyAllowBrowser: true }).ping();
    assert.deepEqual(Object.keys(requests[0].headers).sort(), ['Authorization', 'Content-Type', 'Idempotency-Key']);
  });
}

test('runs at an edge, which has neither a process nor an environment', async (t) => {
  const { process } = globalThis;
  withGlobal(t, 'navigator', { userAgent: 'Cloudflare-Workers' });
  withGlobal(t, 'process', undefined);
  try {
    const { requests, fetch } = network(() => Response.json(PING, { headers: { 'Content-Encoding': 'gzip' } }));
    await of({ fetch }).ping();
    const bomb = () => new Response(' '.repeat(1_000_001), { headers: { 'Content-Encoding': 'gzip' } });
    await assert.rejects(of({ fetch: network(bomb).fetch, maxRetries: 0 }).ping(), { code: 'ANSWER_TOO_LARGE' });
    assert.match(requests[0].headers['User-Agent'], /^sandbox-gateway-typescript\/\d\S* edge$/);
    assert.throws(() => new SandboxGateway(), /SANDBOX_GATEWAY_API_KEY/);
  } finally {
    globalThis.process = process;
  }
});

test('SANDBOX_GATEWAY_LOG=debug tells of each attempt, without the key; nothing else does', async (t) => {
  const lines = [];
  t.mock.method(console, 'error', (line) => lines.push(line));
  t.after(() => delete process.env.SANDBOX_GATEWAY_LOG);
  const answers = () => network(refusal(503, 'SERVICE_UNAVAILABLE', { 'X-Service-Request-Id': API_KEY })).fetch;
  for (const level of ['debug', 'info']) {
    process.env.SANDBOX_GATEWAY_LOG = level;
    await of({ fetch: answers() }).ping({}, { idempotencyKey: 'order-7' });
  }
  const each = 'sandbox-gateway: POST /api/v1/sandbox/ping, Idempotency-Key order-7, attempt';
  assert.deepEqual(
    lines.map((line) => line.replace(/\d+ ms/, '0 ms')),
    [
      `${each} 1 after 0 ms: SERVICE_UNAVAILABLE: No. (status 503, request [API key])`,
      `${each} 2 after 0 ms: status 200`,
    ],
  );
});
