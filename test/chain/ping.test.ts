import { describe, expect, test } from '@jest/globals';
import { receivedAtOf } from '../../functions/shared/ids.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { recordCalls } from '../support/database.ts';
import { expectSuccess, quotaHeaders, rateHeaders } from '../support/expectations.ts';
import { gatewayWithTenant } from '../support/gateway.ts';
import { GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { forgedKey } from '../support/keys.ts';
import { MINUTE_END_EPOCH_SECONDS, MINUTE_MS, MONTH_END_EPOCH_SECONDS, NOW_MS } from '../support/times.ts';

const READY = { mode: 'sandbox', message: 'Sandbox gateway is ready.' };

describe('a ping', () => {
  test('answers as specified, charges one unit and records it', async () => {
    const { gateway, key, keyId, projectId } = await gatewayWithTenant();
    const response = await gateway.ping(key, { body: { clientRequestId: 'order-7' } });
    expectSuccess(response, READY, {
      ...rateHeaders(60, 59, MINUTE_END_EPOCH_SECONDS),
      ...quotaHeaders(10_000, 9_999, MONTH_END_EPOCH_SECONDS),
    });
    expect(await gateway.quotaUsed(projectId)).toBe(1);
    expect(await gateway.events(projectId)).toEqual([
      {
        requestId: response.body.requestId,
        projectId,
        keyId,
        event: 'request_succeeded',
        operation: 'sandbox.ping',
        status: 200,
        code: null,
        units: 1,
        period: '2030-01',
        latencyMs: 0,
        inputTokens: null,
        outputTokens: null,
        totalTokens: null,
        clientRequestId: 'order-7',
        occurredAt: '2030-01-15T10:00:30.000Z',
        originalRequestId: null,
        detail: null,
        userAgent: null,
        sourceAddress: null,
        idempotencyTag: null,
      },
    ]);
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 1, ledgerUnits: 1 });
  });

  test('records the program that sent it, and its network address where the stage keeps that', async () => {
    const headers = { 'user-agent': 'billing/2.1' };
    for (const [sourceAddresses, sourceAddress] of [
      ['none', null],
      ['full', '192.0.2.1'],
    ] as const) {
      const { gateway, key, projectId } = await gatewayWithTenant({}, { sourceAddresses });
      await gateway.ping(key, { headers });
      expect(await gateway.events(projectId)).toMatchObject([{ userAgent: 'billing/2.1', sourceAddress }]);
    }
  });

  test('has an id that tells the time of its event, whatever became of it', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    const headers = { 'idempotency-key': 'once' };
    for (const request of [{ headers }, { headers }, { headers, body: '{"a":1}' }, { body: '[]' }]) {
      gateway.clock.nowMs += 1_234;
      await gateway.ping(key, request);
    }
    const events = await gateway.events(projectId);
    expect(events.map(({ event }) => event)).toEqual([
      ...['request_succeeded', 'idempotency_replay', 'idempotency_conflict', 'request_rejected'],
    ]);
    expect(events.map(({ requestId }) => receivedAtOf(requestId))).toEqual(
      events.map(({ occurredAt }) => Date.parse(occurredAt)),
    );
  });

  test('takes an empty object, and ignores members it does not know', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    expect((await gateway.ping(key, { body: '{}' })).status).toBe(200);
    expect((await gateway.ping(key, { body: { other: [1, { deep: null }] } })).status).toBe(200);
    expect((await gateway.events(projectId)).map(({ clientRequestId }) => clientRequestId)).toEqual([null, null]);
  });

  test('without an enforced quota has no quota headers and is counted all the same', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant({ quotaLimit: undefined });
    expectSuccess(await gateway.ping(key), READY, rateHeaders(60, 59, MINUTE_END_EPOCH_SECONDS));
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 1, ledgerUnits: 1 });
  });

  test('belongs to the time at which it came in all it writes, however long it takes, and tells how long that was', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    gateway.clock.nowMs = MONTH_END_EPOCH_SECONDS * 1_000 - 1;
    gateway.clock.now = function () {
      return (this.nowMs += 12) - 12;
    };
    const { headers } = await gateway.ping(key);
    gateway.clock.now = () => NOW_MS;
    expect(headers).toMatchObject(rateHeaders(60, 59, MONTH_END_EPOCH_SECONDS));
    expect(await gateway.events(projectId)).toMatchObject([
      { occurredAt: '2030-01-31T23:59:59.999Z', period: '2030-01', latencyMs: 12 },
    ]);
    expect(gateway.telemetry.requests).toMatchObject([{ durationMs: 24 }]);
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 1, ledgerUnits: 1 });
  });

  test('has a latency of 0 when the clock is set back while it is decided', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    gateway.clock.now = function () {
      return (this.nowMs -= 1_000);
    };
    await gateway.ping(key);
    gateway.clock.now = () => NOW_MS;
    expect(await gateway.events(projectId)).toMatchObject([{ latencyMs: 0 }]);
  });

  test('leaves an event that is kept for 400 days, one of 0 units for 30', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    await gateway.ping(key);
    await gateway.ping(key, { body: 'no' });
    const query = { TableName: gateway.store.tables.usage, KeyConditionExpression: 'pk = :pk' };
    const values = { ExpressionAttributeValues: { ':pk': projectId } };
    const { Items = [] } = await gateway.store.client.send(new QueryCommand({ ...query, ...values }));
    const days = Items.map(({ units, ttl }) => [units, (Number(ttl) - NOW_MS / 1_000) / 86_400] as const);
    expect(Object.fromEntries(days)).toEqual({ 1: 400, 0: 30 });
    // A charged event has no attribute without a value.
    const charged = Items.find(({ units }) => units === 1);
    expect(Object.keys(charged ?? {})).not.toEqual(expect.arrayContaining(['detail']));
    expect(Object.keys(charged ?? {})).not.toEqual(expect.arrayContaining(['originalRequestId']));
  });

  test('leaves a counter that is kept for 400 days after its period, so that it outlives what it sums', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    await gateway.ping(key);
    const command = { TableName: gateway.store.tables.gateway, Key: itemKey.quota(projectId, '2030-01') };
    const { Item } = await gateway.store.client.send(new GetCommand(command));
    expect((Number(Item?.ttl) - Date.UTC(2030, 1) / 1_000) / 86_400).toBe(400);
  });

  test('is logged in one line that joins with the access log and holds neither key nor body', async () => {
    const { gateway, key, keyId, projectId } = await gatewayWithTenant();
    const { body } = await gateway.ping(key, { body: { clientRequestId: 'order-7' } });
    expect(gateway.telemetry.requests).toEqual([
      {
        requestId: body.requestId,
        apiRequestId: 'api-gateway-request-id',
        routeKey: 'POST /api/v1/sandbox/ping',
        status: 200,
        code: null,
        event: 'request_succeeded',
        outcome: 'request_succeeded',
        units: 1,
        projectId,
        keyId,
        durationMs: 0,
      },
    ]);
  });
});

describe('an authenticated request takes two sequential round trips', () => {
  const ADMISSION = ['BatchGetItem', 'UpdateItem'];

  test('for a first ping, in its first minute and in a later one', async () => {
    const { gateway, key } = await gatewayWithTenant();
    const calls = recordCalls(gateway.client);
    for (const minute of [1, 2, 3]) {
      await gateway.ping(key);
      expect(calls.roundTrips).toBe(2 * minute);
      expect(calls.commands.splice(0).sort()).toEqual([...ADMISSION, 'TransactWriteItems'].sort());
      gateway.clock.nowMs += MINUTE_MS;
    }
  });

  test('and none at all for a key with a bad shape, checksum or tag', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant();
    const calls = recordCalls(gateway.client);
    const wrong = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    for (const bad of [wrong, key.slice(0, -1), `${key}0`, 'nonsense', forgedKey(projectId)]) {
      expect((await gateway.ping(bad)).status).toBe(401);
    }
    expect(calls.commands).toEqual([]);
  });
});
