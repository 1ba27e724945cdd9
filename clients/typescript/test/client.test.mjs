import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { RateLimitError, SandboxGatewayError } from 'sandbox-gateway';
import { API_KEY, network, of, PING, ready, refusal, REQUEST_ID, RESET, waits } from './support.mjs';

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

test('health is asked with the same care, and gives what it answers', async () => {
  const health = { ok: true, service: 'sandbox-gateway', status: 'available', requestId: REQUEST_ID };
  const { requests, fetch } = network(refusal(500, 'INTERNAL_ERROR'), () => Response.json(health));
  const { data, requestId, rateLimit, quota } = await of({ fetch }).health({ headers: { traceparent: '00-1' } });
  assert.deepEqual([data, requestId, rateLimit, quota], [health, REQUEST_ID, null, null]);
  const [{ url, method, body, headers }] = requests;
  assert.deepEqual([url, method, body], ['http://127.0.0.1:3000/api/v1/health', 'GET', undefined]);
  assert.deepEqual([headers.traceparent, headers['Content-Type']], ['00-1', undefined]);
  await assert.rejects(of({ fetch: network(ready).fetch, maxRetries: 0 }).health(), /UNEXPECTED_ANSWER/);
});

test('withResponse gives status and headers beside the result', async () => {
  const { requests, fetch } = network();
  const call = of({ fetch }).ping();
  assert.ok(call instanceof Promise);
  const { result, status, headers } = await call.withResponse();
  assert.deepEqual([result, status, headers.get('X-RateLimit-Limit')], [await call, 200, '60']);
  assert.equal(requests.length, 1);
  const echo = () => Response.json(PING, { headers: { 'X-Echo': API_KEY } });
  const told = await of({ fetch: network(echo).fetch })
    .ping()
    .withResponse();
  assert.equal(told.headers.get('X-Echo'), '[API key]');
});

test('a failure is thrown once, also where status and headers are asked for', async (t) => {
  const unhandled = t.mock.fn();
  process.on('unhandledRejection', unhandled);
  t.after(() => process.off('unhandledRejection', unhandled));
  const { fetch } = network(refusal(400, 'INVALID_REQUEST'));
  await assert.rejects(of({ fetch }).ping().withResponse(), { code: 'INVALID_REQUEST' });
  await new Promise(setImmediate);
  assert.equal(unhandled.mock.callCount(), 0);
});

test('headers of the client go with each call, and those of the call replace them', async () => {
  const { requests, fetch } = network();
  const client = of({ fetch, headers: { 'X-Team': 'a', traceparent: '00-0' } });
  await client.ping({}, { headers: { TraceParent: '00-1' } });
  await client.ping();
  const sent = requests.map(({ headers }) => [headers['X-Team'], headers.traceparent, headers.TraceParent]);
  assert.deepEqual(sent, [
    ['a', undefined, '00-1'],
    ['a', '00-0', undefined],
  ]);
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

test('the version is that of the package, and the changelog says what is new in it', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const { requests, fetch } = network();
  await of({ fetch }).ping();
  assert.ok(requests[0].headers['User-Agent'].startsWith(`sandbox-gateway-typescript/${version} `));
  const changelog = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8');
  assert.equal(/^## (\S+)/m.exec(changelog)?.[1], version);
});

test('require gives the same module, so that there is one class of errors', async () => {
  const required = createRequire(import.meta.url)('sandbox-gateway');
  assert.equal(required.SandboxGatewayError, SandboxGatewayError);
  assert.equal(required.SandboxGateway, (await import('sandbox-gateway')).SandboxGateway);
});
