import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { SandboxGateway, SandboxGatewayError } from 'sandbox-gateway';
import { API_KEY, REQUEST_ID, RESET_EPOCH_SECONDS, serverOf } from './server.mjs';

const { cases } = JSON.parse(readFileSync(new URL('../../cases.json', import.meta.url), 'utf8'));

/** No test waits: a timer of the client fires at once, and is noted. */
const waits = [];
const { setTimeout } = globalThis;
Math.random = () => 0.5;
globalThis.setTimeout = (end, ms, ...rest) => {
  if (!new Error().stack.includes('/dist/wait.js')) return setTimeout(end, ms, ...rest);
  waits.push(ms);
  return setTimeout(end, 0);
};

const randomPartMs = (retry) => 0.5 * Math.min(500 * 2 ** retry, 8_000);

for (const { name, call = {}, options = {}, answers, waits: waitSeconds, sent, error } of cases) {
  test(name, async (t) => {
    const server = await serverOf(answers);
    t.after(server.close);
    waits.length = 0;
    const told = [];
    const onRetry = (failure, waitMs) => told.push([failure instanceof SandboxGatewayError, waitMs]);
    const client = new SandboxGateway({ apiKey: API_KEY, baseUrl: server.url, onRetry, ...options });
    const { rehearse, ...request } = { clientRequestId: 'order-7', ...call };
    const outcome = await client.ping(request, { rehearse }).catch((failure) => failure);
    const attempts = [...server.requests];

    const waitsMs = waitSeconds.map((seconds, retry) => 1_000 * seconds + randomPartMs(retry));
    assert.deepEqual(waits, waitsMs);
    assert.deepEqual(
      told,
      waitsMs.map((ms) => [true, ms]),
    );
    assert.equal(attempts.length, waitSeconds.length + 1);
    assert.equal(new Set(attempts.map(({ headers }) => headers['idempotency-key'])).size, 1);
    for (const [index, { url, headers, body }] of attempts.entries()) {
      assert.equal(url, '/api/v1/sandbox/ping');
      assert.equal(headers.authorization, `Bearer ${API_KEY}`);
      assert.match(headers['user-agent'], /^sandbox-gateway-typescript\/\d/);
      const simulate = sent?.[index] ?? undefined;
      assert.deepEqual(JSON.parse(body), { clientRequestId: 'order-7', ...(simulate && { simulate }) });
    }

    if (error) {
      assert.ok(outcome instanceof SandboxGatewayError, inspect(outcome));
      const { status, code, retryable, requestId, detail } = outcome;
      assert.deepEqual(
        { status, code, retryable, requestId },
        { ...error, requestId: error.requestId ? REQUEST_ID : null },
      );
      assert.ok(detail && outcome.message.startsWith(`${code}: ${detail}`));
      const everything = inspect(outcome, { depth: Infinity, showHidden: true }) + JSON.stringify(outcome);
      assert.ok(!everything.includes(API_KEY.slice(9)), everything);
    } else {
      const [last = 'ready'] = answers.slice(-1);
      assert.equal(outcome.data?.message, 'Sandbox gateway is ready.', inspect(outcome));
      const resetsAt = new Date(1_000 * RESET_EPOCH_SECONDS);
      assert.deepEqual(outcome, {
        data: { ok: true, mode: 'sandbox', message: 'Sandbox gateway is ready.', requestId: REQUEST_ID },
        requestId: REQUEST_ID,
        replayed: last === 'replay',
        rateLimit: { limit: 60, remaining: 59, resetsAt },
        quota: last === 'unlimited' ? null : { limit: 10_000, remaining: 9_999, resetsAt },
      });
    }
    // Whatever the connection did, the next call is one of its own.
    await client.ping();
    assert.notEqual(server.requests.at(-1).headers['idempotency-key'], attempts[0].headers['idempotency-key']);
  });
}
