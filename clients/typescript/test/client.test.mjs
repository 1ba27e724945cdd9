import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { SandboxGateway } from 'sandbox-gateway';
import { API_KEY, serverOf } from './server.mjs';

const of = (options) => new SandboxGateway({ apiKey: API_KEY, baseUrl: 'http://127.0.0.1:3000', ...options });
const serve = async (t, ...answers) => {
  const server = await serverOf(answers);
  t.after(server.close);
  return server;
};

test('a key of one’s own repeats a call in another client', async (t) => {
  const server = await serve(t);
  for (const client of [of({ baseUrl: server.url }), of({ baseUrl: server.url })]) {
    await client.ping({}, { idempotencyKey: 'order-7' });
  }
  assert.deepEqual(
    server.requests.map(({ headers }) => headers['idempotency-key']),
    ['order-7', 'order-7'],
  );
});

for (const [what, answers, when] of [
  ['an attempt', ['silence'], 'requests'],
  ['a wait', [{ status: 503, code: 'SERVICE_UNAVAILABLE', headers: { 'Retry-After': '100' } }], 'wait'],
]) {
  test(`a signal ends a call within ${what}, with its own reason`, async (t) => {
    const server = await serve(t, ...answers);
    const controller = new AbortController();
    const reason = new Error('enough');
    const abort = () => setImmediate(() => controller.abort(reason));
    const client = of({ baseUrl: server.url, onRetry: abort });
    const call = client.ping({}, { signal: controller.signal });
    while (when === 'requests' && server.requests.length === 0) await new Promise(setImmediate);
    if (when === 'requests') abort();
    await assert.rejects(call, reason);
    assert.equal(server.requests.length, 1);
  });
}

test('a signal that was aborted sends nothing', async (t) => {
  const server = await serve(t);
  await assert.rejects(
    of({ baseUrl: server.url }).ping({}, { signal: AbortSignal.abort(new Error('no')) }),
    /^Error: no$/,
  );
  assert.equal(server.requests.length, 0);
});

test('the key is trimmed, and an address may have a path and a slash at its end', async (t) => {
  const server = await serve(t);
  await of({ apiKey: ` ${API_KEY}\n`, baseUrl: `${server.url}/v/` }).ping();
  const [{ url, headers }] = server.requests;
  assert.deepEqual([url, headers.authorization], ['/v/api/v1/sandbox/ping', `Bearer ${API_KEY}`]);
});

const INVALID = [
  { apiKey: undefined },
  { apiKey: ' \n' },
  { apiKey: `${API_KEY}\nx` },
  { apiKey: `“${API_KEY}”` },
  { baseUrl: undefined },
  { baseUrl: '127.0.0.1:3000' },
  { baseUrl: 'http://gateway.example' },
  { baseUrl: 'http://127.0.0.1.example' },
  { baseUrl: `https://${API_KEY}@gateway.example` },
  { baseUrl: 'file:///etc' },
  { timeoutMs: 0 },
  { timeoutMs: 2 ** 31 },
  { maxRetries: -1 },
  { maxRetries: 1.5 },
  { maxWaitMs: NaN },
];
for (const options of INVALID) {
  test(`refused, without the value: ${JSON.stringify(options).replace(API_KEY, '…')}`, () => {
    assert.throws(
      () => of(options),
      (error) => error instanceof TypeError && !inspect(error).includes(API_KEY.slice(9)),
    );
  });
}

for (const [request, options] of [
  [{}, { idempotencyKey: '' }],
  [{}, { idempotencyKey: 'two words' }],
  [{}, { idempotencyKey: 'é' }],
  [{}, { idempotencyKey: 'k'.repeat(256) }],
  [{ simulate: 'INTERNAL_ERROR' }, { rehearse: { INTERNAL_ERROR: 1 } }],
]) {
  const members = Object.keys({ ...request, ...options }).join(' and ');
  test(`not sent: ${members}`, async (t) => {
    const server = await serve(t);
    await assert.rejects(of({ baseUrl: server.url }).ping(request, options), TypeError);
    assert.equal(server.requests.length, 0);
  });
}

test('shows nothing of its key', () => {
  const client = of();
  for (const shown of [
    inspect(client, { depth: Infinity, showHidden: true }),
    JSON.stringify(client),
    String(client),
  ]) {
    assert.ok(!shown.includes(API_KEY.slice(9)), shown);
  }
});

test('refuses to run in a page and in a worker of a browser', (t) => {
  t.after(() => delete globalThis.document);
  globalThis.document = {};
  assert.throws(of, /runs on servers only/);
  delete globalThis.document;
  if ('Deno' in globalThis) return;
  const { process } = globalThis;
  t.after(() => (globalThis.process = process));
  // As bundlers put it there.
  for (const stub of [undefined, { env: {} }, { versions: {} }]) {
    globalThis.process = stub;
    assert.throws(of, /runs on servers only/);
  }
  globalThis.process = process;
  of();
});

test('the version is that of the package, and the changelog says what is new in it', async (t) => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const server = await serve(t);
  await of({ baseUrl: server.url }).ping();
  assert.equal(server.requests[0].headers['user-agent'], `sandbox-gateway-typescript/${version}`);
  const changelog = readFileSync(new URL('../CHANGELOG.md', import.meta.url), 'utf8');
  assert.equal(/^## (\S+)/m.exec(changelog)?.[1], version);
});
