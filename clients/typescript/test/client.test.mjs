import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { inspect } from 'node:util';
import {
  APIConnectionError,
  APITimeoutError,
  RateLimitError,
  SandboxGateway,
  SandboxGatewayError,
} from 'sandbox-gateway';

const API_KEY = `svc_test_${'k'.repeat(42)}`;
const REQUEST_ID = '01a1fd70-f1c0-7c41-9d5b-3f2e8a6b1c0d';
const RESET = 1_900_000_000;
const HEADERS = {
  'X-Service-Request-Id': REQUEST_ID,
  'X-RateLimit-Limit': '60',
  'X-RateLimit-Remaining': '59',
  'X-RateLimit-Reset': `${RESET}`,
  'X-Service-Quota-Limit': '10000',
  'X-Service-Quota-Remaining': '9999',
  'X-Service-Quota-Reset': `${RESET}`,
};
const PING = { ok: true, mode: 'sandbox', message: 'Sandbox gateway is ready.', requestId: REQUEST_ID };
const ready = () => Response.json(PING, { headers: HEADERS });
const refusal = (status, code, headers) => () =>
  Response.json({ ok: false, code, detail: 'No.' }, { status, headers: { ...HEADERS, ...headers } });

/** A network of these answers; then it is ready. */
function network(...answers) {
  const requests = [];
  const fetch = (url, init) => {
    requests.push({ url, ...init });
    return Promise.resolve().then(() => (answers[requests.length - 1] ?? ready)(init));
  };
  return { requests, fetch };
}
const of = (options) => new SandboxGateway({ apiKey: API_KEY, baseURL: 'http://127.0.0.1:3000', ...options });

/** No test waits: a timer of the client's waits fires at once, and is noted. */
const waits = [];
const { setTimeout } = globalThis;
globalThis.setTimeout = (end, ms, ...rest) => {
  if (!new Error().stack.includes('/wait.js')) return setTimeout(end, ms, ...rest);
  waits.push(ms);
  return setTimeout(end, 0);
};
const { random } = Math;
test.beforeEach(() => {
  waits.length = 0;
  Math.random = () => 0.5;
});
test.after(() => (Math.random = random));

test('a test plays any sequence of answers without a network, and each attempt is the same request', async () => {
  const told = [];
  const { requests, fetch } = network(
    refusal(429, 'RATE_LIMIT_EXCEEDED', { 'Retry-After': '31' }),
    refusal(503, 'SERVICE_UNAVAILABLE', { 'Retry-After': '1' }),
  );
  const client = of({ fetch, onRetry: (error, waitMs) => told.push([error.code, error.idempotencyKey, waitMs]) });
  const resetsAt = new Date(1_000 * RESET);
  const result = await client.ping({ clientRequestId: 'order-7' });
  const idempotencyKey = requests[0].headers['Idempotency-Key'];
  assert.deepEqual(result, {
    data: PING,
    requestId: REQUEST_ID,
    idempotencyKey,
    replayed: false,
    rateLimit: { limit: 60, remaining: 59, resetsAt },
    quota: { limit: 10_000, remaining: 9_999, resetsAt },
  });
  assert.deepEqual(waits, [31_250, 1_500]);
  assert.deepEqual(told, [
    ['RATE_LIMIT_EXCEEDED', idempotencyKey, 31_250],
    ['SERVICE_UNAVAILABLE', idempotencyKey, 1_500],
  ]);
  assert.equal(requests.length, 3);
  const [first, ...others] = requests.map(({ signal, ...request }) => request);
  assert.equal(first.url, 'http://127.0.0.1:3000/api/v1/sandbox/ping');
  assert.equal(first.headers.Authorization, `Bearer ${API_KEY}`);
  assert.match(idempotencyKey, /^[-0-9a-f]{36}$/);
  assert.match(first.headers['User-Agent'], /^sandbox-gateway-typescript\/\d\S* (node|deno|bun)\/\d/);
  assert.deepEqual(
    [first.method, first.redirect, JSON.parse(first.body)],
    ['POST', 'manual', { clientRequestId: 'order-7' }],
  );
  for (const other of others) assert.deepEqual(other, first);
});

test('the random part of a wait doubles up to 8 s', async () => {
  const { fetch } = network(...Array(7).fill(refusal(500, 'INTERNAL_ERROR')));
  await of({ fetch, maxRetries: 7 }).ping();
  assert.deepEqual(waits, [250, 500, 1_000, 2_000, 4_000, 4_000, 4_000]);
});

test('an error has what the answer told', async () => {
  const { fetch } = network(refusal(429, 'RATE_LIMIT_EXCEEDED', { 'Retry-After': '31' }));
  const error = await of({ fetch, maxRetries: 0 })
    .ping()
    .catch((failure) => failure);
  assert.ok(error instanceof RateLimitError && error instanceof SandboxGatewayError && error instanceof Error);
  const { name, status, code, detail, requestId, retryable, message } = error;
  assert.deepEqual(
    [name, status, code, detail, requestId, retryable],
    ['RateLimitError', 429, 'RATE_LIMIT_EXCEEDED', 'No.', REQUEST_ID, true],
  );
  assert.equal(message, `RATE_LIMIT_EXCEEDED: No. (status 429, request ${REQUEST_ID})`);
  assert.equal(error.headers.get('Retry-After'), '31');
  assert.deepEqual([error.rateLimit.remaining, error.quota.limit], [59, 10_000]);
});

test('what a fetch throws is not handed on, but for its code', async () => {
  const thrown = Object.assign(new Error(`Bearer ${API_KEY}`), {
    cause: Object.assign(new Error(API_KEY), { code: 'ECONNRESET' }),
  });
  const fail = () => {
    throw thrown;
  };
  const error = await of({ fetch: network(fail, fail, fail).fetch })
    .ping()
    .catch((failure) => failure);
  assert.ok(error instanceof APIConnectionError);
  assert.match(error.message, /^CONNECTION_FAILED: .*\(ECONNRESET\)/);
  assert.equal(error.cause, undefined);
  assert.ok(!inspect(error, { depth: Infinity, showHidden: true }).includes(API_KEY.slice(9)));
});

for (const [told, thrown] of [
  [
    'SocketError, UND_ERR_SOCKET',
    new TypeError('terminated', { cause: { name: 'SocketError', code: 'UND_ERR_SOCKET' } }),
  ],
  ['Error', new TypeError('fetch failed', { cause: new Error('connection closed') })],
  ['TypeError', new TypeError('error reading a body from connection')],
  ['TimeoutError', new DOMException('late', 'TimeoutError')],
  ['CERT_HAS_EXPIRED', Object.assign(new Error('old'), { code: 'CERT_HAS_EXPIRED' })],
  ['AxiosError, ERR_NETWORK', { name: 'AxiosError', code: 'ERR_NETWORK' }],
]) {
  test(`a failure of the network is repeated, and its class is told: ${told}`, async () => {
    const { requests, fetch } = network(...Array(2).fill(() => Promise.reject(thrown)));
    const failures = [];
    await of({ fetch, onRetry: ({ detail }) => failures.push(detail) }).ping();
    assert.deepEqual(failures, Array(2).fill(`No whole answer came from http://127.0.0.1:3000 (${told}).`));
    assert.equal(requests.length, 3);
  });
}

for (const thrown of [
  new assert.AssertionError({ message: 'of a test' }),
  new TypeError('fetch failed', { cause: new assert.AssertionError({ message: 'of a test' }) }),
  new TypeError('fetch failed', { cause: { code: 'UND_MOCK_ERR_MOCK_NOT_MATCHED' } }),
  new TypeError('answers.next is not a function'),
  Object.assign(new Error('no such file'), { code: 'ENOENT', path: 'answer.json' }),
  new Error('of a test'),
  undefined,
]) {
  test(`an error of the program comes through as it is, and is not repeated: ${inspect(thrown).slice(0, 60)}`, async () => {
    const { requests, fetch } = network(() => Promise.reject(thrown));
    const came = await of({ fetch })
      .ping()
      .then(assert.fail, (error) => error);
    assert.equal(came, thrown);
    assert.equal(requests.length, 1);
  });
}

test('a fetch that gives no Response is told so, once', async () => {
  for (const answer of [undefined, { ok: true, json: () => PING }]) {
    const { requests, fetch } = network(() => answer);
    await assert.rejects(of({ fetch }).ping(), { name: 'TypeError', message: /^fetch must give a Response/ });
    assert.equal(requests.length, 1);
  }
});

test('an attempt ends in time, also where a fetch heeds no signal', async () => {
  const never = () => new Promise(() => undefined);
  const error = await of({ fetch: network(never).fetch })
    .ping({}, { timeout: 20, maxRetries: 0 })
    .catch((failure) => failure);
  assert.ok(error instanceof APITimeoutError);
  assert.match(error.message, /^TIMED_OUT: No whole answer came within 20 ms/);
});

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

test('an option holds for one call', async () => {
  const fail = refusal(500, 'INTERNAL_ERROR');
  const { requests, fetch } = network(fail, fail, ready);
  const client = of({ fetch });
  const headers = { traceparent: '00-1', 'X-Empty': '' };
  await assert.rejects(client.ping({}, { maxRetries: 0, headers, timeout: undefined }), /INTERNAL_ERROR/);
  const { traceparent, 'X-Empty': empty, Authorization } = requests[0].headers;
  assert.deepEqual([traceparent, empty, Authorization], ['00-1', '', `Bearer ${API_KEY}`]);
  await client.ping();
  assert.deepEqual([requests.length, requests[2].headers.traceparent], [3, undefined]);
});

test('a call that failed is repeated under the key of its error, in another client too', async () => {
  const lost = () => {
    throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
  };
  for (const failing of [lost, refusal(503, 'SERVICE_UNAVAILABLE'), () => new Promise(() => undefined)]) {
    const { requests, fetch } = network(failing);
    const error = await of({ fetch, maxRetries: 0, timeout: 20 })
      .ping()
      .catch((failure) => failure);
    const { idempotencyKey } = error;
    const result = await of({ fetch }).ping({}, { idempotencyKey });
    assert.deepEqual(
      requests.map(({ headers }) => headers['Idempotency-Key']),
      [idempotencyKey, result.idempotencyKey],
    );
  }
});

test('a key of one’s own repeats a call in another client', async () => {
  const { requests, fetch } = network();
  for (const client of [of({ fetch }), of({ fetch })]) await client.ping({}, { idempotencyKey: 'order-7' });
  assert.deepEqual(
    requests.map(({ headers }) => headers['Idempotency-Key']),
    ['order-7', 'order-7'],
  );
});

for (const what of ['an attempt', 'a wait', 'nothing, as it was aborted before']) {
  test(`a signal ends ${what}, with its own reason`, async () => {
    const controller = new AbortController();
    const reason = new Error('enough');
    const abort = () => controller.abort(reason);
    if (what.startsWith('nothing')) abort();
    const hang = (init) => {
      setImmediate(abort);
      return new Promise((_, reject) => init.signal.addEventListener('abort', reject));
    };
    const { requests, fetch } = network(what === 'an attempt' ? hang : refusal(503, 'SERVICE_UNAVAILABLE'));
    await assert.rejects(of({ fetch, onRetry: abort }).ping({}, { signal: controller.signal }), reason);
    assert.equal(requests.length, what.startsWith('nothing') ? 0 : 1);
  });
}

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
for (const options of [...INVALID, ...INVALID_IN_A_CALL]) {
  test(`refused, without the value: ${JSON.stringify(options).replaceAll(API_KEY, '…')}`, async () => {
    const isSafe = (error) => error instanceof TypeError && !inspect(error).includes(API_KEY.slice(9));
    if (INVALID.includes(options)) assert.throws(() => of(options), isSafe);
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

test('a key in clear text goes to this machine alone, and through no proxy', (t) => {
  const { env } = process;
  t.after(() => (process.env = env));
  const environment = { http_proxy: 'http://proxy.example', NODE_USE_ENV_PROXY: '1' };
  process.env = { ...environment };
  assert.throws(() => of(), /set NO_PROXY=127\.0\.0\.1/);
  assert.throws(() => of({ baseURL: 'http://localhost:3000' }), /set NO_PROXY=localhost/);
  of({ baseURL: 'https://gateway.example' });
  process.env = { ...environment, NO_PROXY: 'a.example,127.0.0.1' };
  of();
});

test('shows nothing of its key', () => {
  const client = of();
  const shown = [inspect(client, { depth: Infinity, showHidden: true }), JSON.stringify(client), String(client)];
  assert.ok(!shown.join('').includes(API_KEY.slice(9)), shown.join('\n'));
});

test('refuses to run in a page and in a worker of a browser', (t) => {
  t.after(() => delete globalThis.document);
  globalThis.document = {};
  assert.throws(of, /runs on servers only/);
  delete globalThis.document;
});

test('the version is that of the package, and the changelog says what is new in it', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const { requests, fetch } = network();
  await of({ fetch }).ping();
  assert.ok(requests[0].headers['User-Agent'].startsWith(`sandbox-gateway-typescript/${version} `));
  const changelog = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8');
  assert.equal(/^## (\S+)/m.exec(changelog)?.[1], version);
});

test('CommonJS has the same library', async () => {
  const required = createRequire(import.meta.url)('sandbox-gateway');
  const module = await import('sandbox-gateway');
  assert.deepEqual(Object.keys(required).sort(), Object.keys(module).sort());
  const { fetch } = network();
  await new required.SandboxGateway({ apiKey: API_KEY, baseURL: 'https://gateway.example', fetch }).ping();
});
