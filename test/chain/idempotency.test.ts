import { describe, expect, test } from '@jest/globals';
import { createKey, revokeKey } from '../../functions/accounts/keys/api-keys.ts';
import { recordCalls } from '../support/database.ts';
import { expectProblem, expectSuccess, quotaHeaders, rateHeaders } from '../support/expectations.ts';
import { gatewayWithTenant, tenant, testGateway } from '../support/gateway.ts';
import { DAY_MS, MINUTE_END_EPOCH_SECONDS, MONTH_END_EPOCH_SECONDS } from '../support/times.ts';

const READY = { mode: 'sandbox', message: 'Sandbox gateway is ready.' };
const under = (idempotencyKey: string, body: unknown = {}) => ({
  headers: { 'idempotency-key': idempotencyKey },
  body,
});

describe('an identical request under the same Idempotency-Key', () => {
  test('gets the stored response under a new request id and charges nothing', async () => {
    const { gateway, key, keyId, projectId } = await gatewayWithTenant();
    const first = await gateway.ping(key, under('idempotency-key-k', { clientRequestId: 'a' }));
    const replay = await gateway.ping(key, under('idempotency-key-k', { clientRequestId: 'a' }));
    expect(first.headers).not.toHaveProperty('x-service-idempotency-replayed');
    expectSuccess(replay, READY, {
      ...rateHeaders(60, 58, MINUTE_END_EPOCH_SECONDS),
      ...quotaHeaders(10_000, 9_999, MONTH_END_EPOCH_SECONDS),
      'x-service-idempotency-replayed': 'true',
    });
    expect(replay.body.requestId).not.toBe(first.body.requestId);
    const events = await gateway.events(projectId);
    expect(events).toHaveLength(2);
    expect(events).toContainEqual({
      requestId: replay.body.requestId,
      projectId,
      keyId,
      event: 'idempotency_replay',
      operation: 'sandbox.ping',
      status: 200,
      code: null,
      units: 0,
      period: '2030-01',
      latencyMs: 0,
      inputTokens: null,
      outputTokens: null,
      totalTokens: null,
      clientRequestId: 'a',
      occurredAt: '2030-01-15T10:00:30.000Z',
      originalRequestId: first.body.requestId,
      detail: null,
      userAgent: null,
      sourceAddress: null,
      idempotencyTag: expect.stringMatching(/^[0-9a-f]{8}$/) as unknown,
    });
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 1, ledgerUnits: 1 });
  });

  test('may spell its JSON otherwise: white space, order of members, escapes, forms of a number', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    await gateway.ping(key, under('idempotency-key-k', '{"clientRequestId":"é","n":100,"o":{"a":1,"b":2}}'));
    const replay = await gateway.ping(
      key,
      under('idempotency-key-k', '{ "o": {"b":2,"a":1.0}, "n": 1e2, "clientRequestId": "\\u00e9" }'),
    );
    expect(replay.headers['x-service-idempotency-replayed']).toBe('true');
    expect(await gateway.quotaUsed(projectId)).toBe(1);
  });

  test('is replayed to another key of the project, and never to another project', async () => {
    const gateway = testGateway();
    const one = await tenant(gateway);
    const other = await tenant(gateway);
    const scopes = new Set(['sandbox:invoke']);
    const second = await createKey(gateway.store, { projectId: one.projectId, mode: 'test', scopes, rpm: 60 });
    await gateway.ping(one.key, under('idempotency-key-k'));
    expect((await gateway.ping(second.key, under('idempotency-key-k'))).headers['x-service-idempotency-replayed']).toBe(
      'true',
    );
    expect((await gateway.ping(other.key, under('idempotency-key-k'))).headers).not.toHaveProperty(
      'x-service-idempotency-replayed',
    );
  });

  test('and a conflict name the request that was executed, not each other', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    const first = await gateway.ping(key, under('idempotency-key-k'));
    const bodies = [{}, { a: 1 }, {}];
    for (const body of bodies) {
      gateway.clock.nowMs += 1;
      await gateway.ping(key, under('idempotency-key-k', body));
    }
    const events = await gateway.events(projectId);
    expect(events.map(({ event, originalRequestId }) => [event, originalRequestId])).toEqual([
      ['request_succeeded', null],
      ...['idempotency_replay', 'idempotency_conflict', 'idempotency_replay'].map((event) => [
        event,
        first.body.requestId,
      ]),
    ]);
  });

  test('is not replayed to a revoked key', async () => {
    const { gateway, key, keyId, projectId } = await gatewayWithTenant();
    await gateway.ping(key, under('idempotency-key-k'));
    await revokeKey(gateway.store, projectId, keyId);
    expect((await gateway.ping(key, under('idempotency-key-k'))).body.code).toBe('API_KEY_REVOKED');
  });

  test('is replayed when the quota is used up, without a look at the record for a second time', async () => {
    const { gateway, key } = await gatewayWithTenant({ quotaLimit: 1 });
    await gateway.ping(key, under('idempotency-key-k'));
    const calls = recordCalls(gateway.client);
    expect((await gateway.ping(key, under('idempotency-key-k'))).status).toBe(200);
    expect(calls.roundTrips).toBe(2);
    expect((await gateway.ping(key, under('new'))).body.code).toBe('QUOTA_EXCEEDED');
  });

  test('is kept for 24 hours, to the second, and executed again from then on', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    await gateway.ping(key, under('idempotency-key-k'));
    gateway.clock.nowMs += DAY_MS - 1;
    expect((await gateway.ping(key, under('idempotency-key-k'))).headers['x-service-idempotency-replayed']).toBe(
      'true',
    );
    gateway.clock.nowMs += 1;
    expect((await gateway.ping(key, under('idempotency-key-k', { clientRequestId: 'b' }))).headers).not.toHaveProperty(
      'x-service-idempotency-replayed',
    );
    expect((await gateway.ping(key, under('idempotency-key-k', { clientRequestId: 'b' }))).headers).toHaveProperty(
      'x-service-idempotency-replayed',
    );
    expect(await gateway.quotaUsed(projectId)).toBe(2);
  });

  test('is kept for no less than 24 hours when it came in within a second', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    gateway.clock.nowMs += 1;
    await gateway.ping(key, under('idempotency-key-k'));
    gateway.clock.nowMs += DAY_MS - 1;
    expect((await gateway.ping(key, under('idempotency-key-k'))).headers['x-service-idempotency-replayed']).toBe(
      'true',
    );
    expect(await gateway.quotaUsed(projectId)).toBe(1);
  });

  test('is not replayed when the first was refused: only successes are stored', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    expect((await gateway.ping(key, under('idempotency-key-k', '[]'))).status).toBe(400);
    expect((await gateway.ping(key, under('idempotency-key-k', {}))).status).toBe(200);
    expect(await gateway.quotaUsed(projectId)).toBe(1);
  });
});

describe('a different request under the same Idempotency-Key', () => {
  test('is a conflict, charges nothing and leaves the record as it was', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    await gateway.ping(key, under('idempotency-key-k', { clientRequestId: 'a' }));
    const conflict = await gateway.ping(key, under('idempotency-key-k', { clientRequestId: 'b' }));
    expectProblem(conflict, 'IDEMPOTENCY_CONFLICT', {
      ...rateHeaders(60, 58, MINUTE_END_EPOCH_SECONDS),
      ...quotaHeaders(10_000, 9_999, MONTH_END_EPOCH_SECONDS),
    });
    expect((await gateway.ping(key, under('idempotency-key-k', { clientRequestId: 'a' }))).status).toBe(200);
    const events = await gateway.events(projectId);
    expect(events.find(({ event }) => event === 'idempotency_conflict')).toMatchObject({
      requestId: conflict.body.requestId,
      status: 409,
      code: 'IDEMPOTENCY_CONFLICT',
      units: 0,
    });
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 1, ledgerUnits: 1 });
  });
});

describe('an Idempotency-Key', () => {
  test('may have 1 to 255 visible ASCII characters', async () => {
    const { gateway, key } = await gatewayWithTenant();
    for (const good of ['x', 'k'.repeat(255), '!~"\\#'])
      expect((await gateway.ping(key, under(good))).status).toBe(200);
    for (const bad of ['', 'k'.repeat(256), 'a b', 'a\tb', 'é', 'a\u007f']) {
      expect((await gateway.ping(key, under(bad))).body.code).toBe('INVALID_IDEMPOTENCY_KEY');
    }
  });
});
