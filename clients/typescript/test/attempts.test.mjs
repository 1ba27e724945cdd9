import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { APIConnectionError, APITimeoutError } from 'sandbox-gateway';
import { API_KEY, network, of, PING, ready, refusal, waits } from './support.mjs';

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

for (const [status, code, shouldRetry, attempts] of [
  [408, 'OF_A_PROXY', undefined, 2],
  [400, 'INVALID_REQUEST', 'true', 2],
  [429, 'QUOTA_EXCEEDED', 'true', 2],
  [429, 'RATE_LIMIT_EXCEEDED', 'false', 1],
  [500, 'INTERNAL_ERROR', 'false', 1],
  [500, 'INTERNAL_ERROR', 'perhaps', 2],
]) {
  test(`x-should-retry decides where it is there: ${status}, ${shouldRetry}`, async () => {
    const headers = shouldRetry && { 'X-Should-Retry': shouldRetry };
    const { requests, fetch } = network(refusal(status, code, headers));
    const retryable = await of({ fetch })
      .ping()
      .then(
        () => true,
        (error) => error.retryable,
      );
    assert.deepEqual([requests.length, retryable], [attempts, attempts > 1]);
  });
}

test('no answer is compressed: one that is, is not read', async () => {
  const cancelled = [];
  const bomb = (headers) => () => {
    const stream = { pull: (body) => body.enqueue(gzipSync('{}')), cancel: () => void cancelled.push(headers) };
    return new Response(new ReadableStream(stream, { highWaterMark: 0 }), { headers });
  };
  const encoded = [{ 'Content-Encoding': 'gzip' }, { 'Content-Encoding': 'identity, br' }].map(bomb);
  const identity = () => Response.json(PING, { headers: { 'Content-Encoding': 'Identity' } });
  const { requests, fetch } = network(...encoded, identity);
  const failures = [];
  await of({ fetch, onRetry: ({ status, code }) => failures.push(`${status} ${code}`) }).ping();
  assert.deepEqual(failures, ['200 UNEXPECTED_ANSWER', '200 UNEXPECTED_ANSWER']);
  assert.equal(requests[0].headers['Accept-Encoding'], 'identity');
  assert.equal(cancelled.length, 2);
});

test('an onRetry that rejects or throws ends nothing', async () => {
  const fail = refusal(500, 'INTERNAL_ERROR');
  const throws = () => {
    throw new Error('of the log');
  };
  for (const onRetry of [async () => throws(), throws]) {
    assert.ok(await of({ fetch: network(fail, fail).fetch, onRetry }).ping());
  }
});

test('a signal of AbortSignal.any ends a call, and none keeps anything of a call', async () => {
  const controller = new AbortController();
  const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(60_000)]);
  let listeners = 0;
  for (const [name, change] of [
    ['addEventListener', 1],
    ['removeEventListener', -1],
  ]) {
    const own = signal[name].bind(signal);
    signal[name] = (...args) => {
      listeners += change;
      own(...args);
    };
  }
  const { fetch } = network(refusal(503, 'SERVICE_UNAVAILABLE'), ready, () => new Promise(() => controller.abort()));
  const client = of({ fetch });
  await client.ping({}, { signal });
  assert.deepEqual([waits.length, listeners], [1, 0]);
  await assert.rejects(client.ping({}, { signal }), { name: 'AbortError' });
  assert.equal(listeners, 0);
});

test('so many attempts are under way at once, and the others follow in order', async () => {
  let underWay = 0;
  const seen = [];
  const answer = async () => {
    seen.push(++underWay);
    await new Promise(setImmediate);
    underWay--;
    return ready();
  };
  const { requests, fetch } = network(...Array(9).fill(answer));
  const client = of({ fetch, maxConnections: 2 });
  const names = [...'abcdefghi'];
  await Promise.all(names.map((clientRequestId) => client.ping({ clientRequestId })));
  assert.equal(Math.max(...seen), 2);
  const sent = requests.map(({ body }) => JSON.parse(body).clientRequestId);
  assert.deepEqual(sent, names);
});

test('an attempt that got no connection in time says so, and no connection is lost by it', async () => {
  let answer;
  const { requests, fetch } = network(() => new Promise((done) => (answer = () => done(ready()))));
  const client = of({ fetch, maxConnections: 1, maxRetries: 0 });
  const first = client.ping();
  const late = await client.ping({}, { timeout: 20 }).catch((error) => error);
  assert.ok(late instanceof APITimeoutError);
  assert.match(late.detail, /^It was not sent: all 1 connections were in use for 20 ms \(maxConnections\)/);
  const controller = new AbortController();
  const ended = client.ping({}, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await assert.rejects(ended, /enough/);
  const last = client.ping();
  answer();
  await Promise.all([first, last]);
  assert.equal(requests.length, 2);
});
