import { describe, expect, test } from '@jest/globals';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { hashApiKey } from '../../functions/shared/credentials/api-key.ts';
import { revokeKey } from '../../functions/accounts/keys/api-keys.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { recordCalls } from '../support/database.ts';
import { expectProblem, quotaHeaders, rateHeaders } from '../support/expectations.ts';
import { intercept } from '../support/faults.ts';
import { gatewayWithTenant, tenant, testGateway, type TestGateway } from '../support/gateway.ts';
import { testClock } from '../support/reports.ts';
import { MINUTE_END_EPOCH_SECONDS, MINUTE_MS, MONTH_END_EPOCH_SECONDS, NOW_MS } from '../support/times.ts';

const remaining = async (gateway: TestGateway, key: string) =>
  Number((await gateway.ping(key)).headers['x-ratelimit-remaining']);

/** The window of a key, and its counts. */
async function countingOf({ store }: TestGateway, key: string): Promise<object> {
  const { client, tables } = store;
  const read = new GetCommand({
    TableName: tables.gateway,
    Key: itemKey.apiKey(hashApiKey(key)),
    ConsistentRead: true,
  });
  const { Item = {} } = await client.send(read);
  return Object.fromEntries(Object.entries(Item).filter(([name]) => /^(window|slot\d+)$/.test(name)));
}

describe('the rate limit', () => {
  test('refuses the 61st request of a minute, records it with 0 units and says when to come back', async () => {
    const { gateway, key, keyId, projectId } = await gatewayWithTenant();
    for (let left = 59; left >= 0; left--) expect(await remaining(gateway, key)).toBe(left);
    const refused = await gateway.ping(key, { body: { clientRequestId: 'late' } });
    expectProblem(refused, 'RATE_LIMIT_EXCEEDED', {
      'retry-after': '30',
      ...rateHeaders(60, 0, MINUTE_END_EPOCH_SECONDS),
      ...quotaHeaders(10_000, 9_940, MONTH_END_EPOCH_SECONDS),
    });
    expect(refused.headers).toMatchObject({ 'ratelimit-policy': '"minute";q=60;w=60', ratelimit: '"minute";r=0;t=30' });
    const events = await gateway.events(projectId);
    expect(events.filter(({ event }) => event === 'rate_limit_rejected')).toEqual([
      expect.objectContaining({
        requestId: refused.body.requestId,
        keyId,
        status: 429,
        code: 'RATE_LIMIT_EXCEEDED',
        units: 0,
        clientRequestId: 'late',
      }),
    ]);
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 60, ledgerUnits: 60 });
  });

  test('starts again with the next UTC minute, and rounds Retry-After up', async () => {
    const gateway = testGateway({ clock: testClock(MINUTE_END_EPOCH_SECONDS * 1_000 - 1) });
    const { key } = await tenant(gateway, { rpm: 1 });
    await gateway.ping(key);
    expect((await gateway.ping(key)).headers['retry-after']).toBe('1');
    gateway.clock.nowMs += 1;
    expect(await gateway.ping(key)).toMatchObject({
      status: 200,
      headers: rateHeaders(1, 0, MINUTE_END_EPOCH_SECONDS + 60),
    });
  });

  test('says a Retry-After of whole seconds that is never too short', async () => {
    const gateway = testGateway({ clock: testClock(NOW_MS + 1) });
    const { key } = await tenant(gateway, { rpm: 1 });
    await gateway.ping(key);
    expect((await gateway.ping(key)).headers).toMatchObject({ 'retry-after': '30', ratelimit: '"minute";r=0;t=30' });
  });

  test('is the reason of its refusals, also for a key that expires later', async () => {
    const { gateway, key } = await gatewayWithTenant({ rpm: 1, lifetimeMs: MINUTE_MS });
    await gateway.ping(key);
    expect((await gateway.ping(key)).body.code).toBe('RATE_LIMIT_EXCEEDED');
  });

  test('counts replays and bad input, but not refused keys', async () => {
    const { gateway, key } = await gatewayWithTenant({ rpm: 3 });
    const headers = { 'idempotency-key': 'idempotency-key-k' };
    await gateway.ping(key, { headers });
    await gateway.ping(key, { headers });
    await gateway.ping(key, { body: 'no' });
    expect((await gateway.ping(key, { headers })).body.code).toBe('RATE_LIMIT_EXCEEDED');
  });
});

describe('a window', () => {
  test.each([1, 2, 15, 17, 40])('that ended %d minutes ago costs no second write', async (minutes) => {
    const { gateway, key } = await gatewayWithTenant();
    await gateway.ping(key);
    gateway.clock.nowMs += minutes * MINUTE_MS;
    const calls = recordCalls(gateway.client);
    expect(await remaining(gateway, key)).toBe(59);
    expect(calls.commands.filter((name) => name === 'UpdateItem')).toHaveLength(1);
  });

  test('that ended a multiple of 16 minutes ago is started over, by a second write', async () => {
    const { gateway, key } = await gatewayWithTenant({ rpm: 2 });
    await gateway.ping(key);
    await gateway.ping(key);
    for (const minutes of [16, 32]) {
      gateway.clock.nowMs += minutes * MINUTE_MS;
      const calls = recordCalls(gateway.client);
      expect(await remaining(gateway, key)).toBe(1);
      expect(calls.commands.filter((name) => name === 'UpdateItem')).toHaveLength(2);
      expect(await remaining(gateway, key)).toBe(0);
      expect((await gateway.ping(key)).status).toBe(429);
      gateway.client.middlewareStack.remove('recordCalls');
    }
    expect(gateway.telemetry.metrics).toEqual([]);
  });

  test('started over by many at once counts each of them', async () => {
    const { gateway, key } = await gatewayWithTenant({ rpm: 16 });
    await gateway.ping(key);
    gateway.clock.nowMs += 16 * MINUTE_MS;
    const responses = await Promise.all(Array.from({ length: 24 }, () => gateway.ping(key)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(16);
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(8);
  });

  test.each([1, 2])('%d minutes ahead of a lagging clock is adopted: it never moves backwards', async (minutes) => {
    const leading = testGateway({ clock: testClock(NOW_MS + minutes * MINUTE_MS) });
    const lagging = testGateway();
    const { key } = await tenant(lagging, { rpm: 3 });
    const end = MINUTE_END_EPOCH_SECONDS + minutes * 60;
    expect((await leading.ping(key)).headers).toMatchObject(rateHeaders(3, 2, end));
    expect((await lagging.ping(key)).headers).toMatchObject(rateHeaders(3, 1, end));
    expect((await leading.ping(key)).headers).toMatchObject(rateHeaders(3, 0, end));
    const refused = await lagging.ping(key);
    expect(refused.body.code).toBe('RATE_LIMIT_EXCEEDED');
    expect(refused.headers).toMatchObject({ ...rateHeaders(3, 0, end), 'retry-after': String(30 + minutes * 60) });
    expect(lagging.telemetry.metrics).toEqual([]);
  });

  test('started over by another just before is counted in, not started over again', async () => {
    const [gateway, other] = [testGateway(), testGateway()];
    const { key } = await tenant(gateway, { rpm: 2 });
    await gateway.ping(key);
    for (const { clock } of [gateway, other]) clock.nowMs += 16 * MINUTE_MS;
    let updates = 0;
    intercept(gateway.client, async (attempt) => {
      if (attempt.operation === 'UpdateItem' && ++updates === 2) expect((await other.ping(key)).status).toBe(200);
      return attempt.send();
    });
    expect((await gateway.ping(key)).headers['x-ratelimit-remaining']).toBe('0');
    expect((await other.ping(key)).status).toBe(429);
  });

  test('is not started over with a key that is revoked just before: the refusal counts nothing', async () => {
    const { gateway, key, keyId, projectId } = await gatewayWithTenant();
    await gateway.ping(key);
    const stored = () => countingOf(gateway, key);
    const counted = await stored();
    gateway.clock.nowMs += 16 * MINUTE_MS;
    let updates = 0;
    intercept(gateway.client, async (attempt) => {
      if (attempt.operation === 'UpdateItem' && ++updates === 2) await revokeKey(gateway.store, projectId, keyId);
      return attempt.send();
    });
    expect(await gateway.ping(key)).toMatchObject({ status: 401, body: { code: 'API_KEY_REVOKED' } });
    expect(updates).toBe(2);
    expect(await stored()).toEqual(counted);
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 1, ledgerUnits: 1 });
  });

  test('further ahead was written by a broken clock: it is overwritten, and a metric says so', async () => {
    const broken = testGateway({ clock: testClock(NOW_MS + 3 * MINUTE_MS) });
    const { gateway, key } = await gatewayWithTenant({ rpm: 1 });
    await broken.ping(key);
    expect((await gateway.ping(key)).headers).toMatchObject(rateHeaders(1, 0, MINUTE_END_EPOCH_SECONDS));
    expect(gateway.telemetry.metrics).toEqual(['RateWindowAheadOfClock']);
    expect((await gateway.ping(key)).body.code).toBe('RATE_LIMIT_EXCEEDED');
  });
});
