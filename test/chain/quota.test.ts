import { describe, expect, test } from '@jest/globals';
import { createKey } from '../../functions/accounts/keys/api-keys.ts';
import { expectProblem, quotaHeaders, rateHeaders } from '../support/expectations.ts';
import { gatewayWithTenant, tenant, testGateway } from '../support/gateway.ts';
import { testClock } from '../support/reports.ts';
import { DAY_MS, MINUTE_END_EPOCH_SECONDS, MONTH_END_EPOCH_SECONDS, NOW_MS } from '../support/times.ts';

describe('the quota', () => {
  test('refuses what comes after its last unit, with 0 units and the time of the next period', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant({ quotaLimit: 2 });
    expect((await gateway.ping(key)).headers).toMatchObject(quotaHeaders(2, 1, MONTH_END_EPOCH_SECONDS));
    expect((await gateway.ping(key)).headers).toMatchObject(quotaHeaders(2, 0, MONTH_END_EPOCH_SECONDS));
    const refused = await gateway.ping(key);
    expectProblem(refused, 'QUOTA_EXCEEDED', {
      'retry-after': String(MONTH_END_EPOCH_SECONDS - NOW_MS / 1_000),
      ...rateHeaders(60, 57, MINUTE_END_EPOCH_SECONDS),
      ...quotaHeaders(2, 0, MONTH_END_EPOCH_SECONDS),
    });
    const left = MONTH_END_EPOCH_SECONDS - NOW_MS / 1_000;
    expect(refused.headers).toMatchObject({ 'ratelimit-policy': '"quota";q=2', ratelimit: `"quota";r=0;t=${left}` });
    expect(await gateway.events(projectId)).toContainEqual(
      expect.objectContaining({
        requestId: refused.body.requestId,
        event: 'quota_rejected',
        status: 429,
        code: 'QUOTA_EXCEEDED',
        units: 0,
      }),
    );
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 2, ledgerUnits: 2 });
  });

  test('of 0 refuses from the first request on', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant({ quotaLimit: 0 });
    expect((await gateway.ping(key)).body.code).toBe('QUOTA_EXCEEDED');
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 0, ledgerUnits: 0 });
  });

  test('belongs to the project: another key adds none', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant({ quotaLimit: 1 });
    const scopes = new Set(['sandbox:invoke']);
    const second = await createKey(gateway.store, { projectId, mode: 'test', scopes, rpm: 60 });
    expect((await gateway.ping(key)).status).toBe(200);
    expect((await gateway.ping(second.key)).body.code).toBe('QUOTA_EXCEEDED');
  });

  test('starts again with the next month, and the old month stays consistent', async () => {
    const gateway = testGateway({ clock: testClock(MONTH_END_EPOCH_SECONDS * 1_000 - 2) });
    const { key, projectId } = await tenant(gateway, { quotaLimit: 1 });
    expect((await gateway.ping(key)).status).toBe(200);
    gateway.clock.nowMs += 1;
    expect((await gateway.ping(key)).headers['retry-after']).toBe('1');
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 1, ledgerUnits: 1 });
    gateway.clock.nowMs += 1;
    expect(await gateway.ping(key)).toMatchObject({
      status: 200,
      headers: quotaHeaders(1, 0, Date.UTC(2030, 2) / 1_000),
    });
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 1, ledgerUnits: 1 });
    expect((await gateway.events(projectId)).map(({ period, units }) => [period, units])).toEqual([
      ['2030-01', 1],
      ['2030-01', 0],
      ['2030-02', 1],
    ]);
  });

  test('starts again each day where the stage says so', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant({ quotaLimit: 1 }, { quotaPeriod: 'day' });
    expect((await gateway.ping(key)).headers).toMatchObject(quotaHeaders(1, 0, Date.UTC(2030, 0, 16) / 1_000));
    expect((await gateway.ping(key)).status).toBe(429);
    gateway.clock.nowMs += DAY_MS;
    expect((await gateway.ping(key)).status).toBe(200);
    expect((await gateway.events(projectId)).map(({ period }) => period)).toEqual([
      '2030-01-15',
      '2030-01-15',
      '2030-01-16',
    ]);
  });
});
