import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { QuotaExceededError } from 'sandbox-gateway';
import { SandboxManagement } from 'sandbox-gateway/management';
import { answer, charges, problem, signWebhook } from 'sandbox-gateway/testing';
import { verifyWebhook } from 'sandbox-gateway/webhooks';
import { network, of, waits } from './support.mjs';

test('an answer is one of the gateway, and tells what it is told to', async () => {
  const quota = { limit: 100, remaining: 0, resetsAt: new Date('2026-12-01T00:00:00Z') };
  const told = { requestId: 'r-7', replayed: true, quota, rateLimit: null };
  const { fetch } = network(
    () => answer(),
    () => answer(told),
  );
  const { data, replayed, rateLimit } = await of({ fetch }).ping();
  assert.deepEqual([data.ok, replayed, rateLimit.limit, rateLimit.remaining], [true, false, 60, 59]);
  const { data: second, idempotencyKey: _, ...result } = await of({ fetch }).ping();
  assert.deepEqual(result, told);
  assert.equal(second.requestId, 'r-7');
});

test('a problem is one of the gateway: it is waited for, repeated and thrown as there', async () => {
  const { requests, fetch } = network(
    () => problem('SERVICE_UNAVAILABLE', { retryAfter: 3 }),
    () => problem('QUOTA_EXCEEDED', { retryAfter: 7_200 }),
  );
  const error = await of({ fetch })
    .ping()
    .catch((failure) => failure);
  assert.ok(error instanceof QuotaExceededError);
  assert.deepEqual([error.code, error.status, error.headers.get('Retry-After')], ['QUOTA_EXCEEDED', 429, '7200']);
  assert.equal(error.requestId, error.headers.get('X-Service-Request-Id'));
  assert.deepEqual([waits, requests.length], [[3_250], 2]);
  assert.throws(() => problem('NO_SUCH_CODE'), TypeError);
  assert.throws(() => problem('toString'), /no such code/);
});

test('a signed notice is believed, here and by the library of the standard', () => {
  const secret = `whsec_${Buffer.from('a secret of a test, 32 bytes or so').toString('base64')}`;
  const notice = { type: 'endpoint.test', data: { accountId: 'acc_1', endpointId: 'ept_1' } };
  const now = new Date('2026-11-27T12:00:00Z');
  const { body, headers } = signWebhook(notice, secret, { now });
  assert.deepEqual(verifyWebhook(body, headers, secret, { now }), { ...notice, timestamp: now.toISOString() });
  const present = signWebhook({ ...notice, timestamp: '2026-11-27T11:00:00Z' }, secret);
  assert.equal(new Webhook(secret).verify(present.body, present.headers).timestamp, '2026-11-27T11:00:00Z');
  assert.notEqual(present.headers['webhook-id'], headers['webhook-id']);
  assert.throws(() => signWebhook(notice, 'whsec_short'), TypeError);
});

test('charges are those of the name, over all pages', async () => {
  const event = (name, units = 0) => ({ event: name, units });
  const pages = [
    { requests: [event('request_succeeded', 1), event('idempotency_replay')], cursor: 'c' },
    { requests: [event('quota_rejected'), event('idempotency_conflict'), event('request_succeeded', 3)], cursor: null },
  ];
  const { requests, fetch } = network(...pages.map((page) => () => Response.json(page)));
  const management = new SandboxManagement({ token: 'svc_mgmt_x', baseURL: 'https://p.example/manage/v1', fetch });
  assert.deepEqual(await charges(management, 'L3F3EM36hg2T', 'order-7'), { charged: 2, replayed: 1, refused: 2 });
  assert.ok(requests.every(({ url }) => url.includes('clientRequestId=order-7')));
});
