import { describe, expect, test } from '@jest/globals';
import { createKey } from '../../functions/accounts/keys/api-keys.ts';
import { expectProblem, quotaHeaders, rateHeaders } from '../support/expectations.ts';
import { gatewayWithTenant, tenant, testGateway } from '../support/gateway.ts';
import { testClock } from '../support/reports.ts';
import { DAY_MS, MINUTE_END_EPOCH_SECONDS, MONTH_END_EPOCH_SECONDS, NOW_MS } from '../support/times.ts';

/** The quota of a project, also in shards, and the cap of a key. */
const BOTH = [
  ['quota', 'QUOTA_EXCEEDED', (units: number) => ({ quotaLimit: units })],
  ['quota', 'QUOTA_EXCEEDED', (units: number) => ({ quotaLimit: units, shards: 4 })],
  ['key-quota', 'KEY_QUOTA_EXCEEDED', (unitsLimit: number) => ({ unitsLimit })],
] as const;
const sound = (units: number) => ({ consistent: true, quotaUsed: units, ledgerUnits: units });

describe.each(BOTH)('the %s', (policy, code, limitedTo) => {
  test('refuses what comes after its last unit, with 0 units and the time of the next period', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant(limitedTo(2));
    expect((await gateway.ping(key)).headers).toMatchObject(quotaHeaders(2, 1, MONTH_END_EPOCH_SECONDS));
    expect((await gateway.ping(key)).headers).toMatchObject(quotaHeaders(2, 0, MONTH_END_EPOCH_SECONDS));
    const refused = await gateway.ping(key);
    const left = MONTH_END_EPOCH_SECONDS - NOW_MS / 1_000;
    expectProblem(refused, code, {
      'retry-after': String(left),
      ...rateHeaders(60, 57, MINUTE_END_EPOCH_SECONDS),
      ...quotaHeaders(2, 0, MONTH_END_EPOCH_SECONDS),
    });
    expect(refused.headers).toMatchObject({
      'ratelimit-policy': `"${policy}";q=2`,
      ratelimit: `"${policy}";r=0;t=${left}`,
    });
    const { requestId } = refused.body;
    expect(await gateway.events(projectId)).toContainEqual(
      expect.objectContaining({ requestId, event: 'quota_rejected', status: 429, code, units: 0 }),
    );
    expect(await gateway.verify(projectId)).toEqual(sound(2));
  });

  test('of 0 refuses from the first request on', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant(limitedTo(0));
    expect((await gateway.ping(key)).body.code).toBe(code);
    expect(await gateway.verify(projectId)).toEqual(sound(0));
  });

  test('starts again with the next month, and the old month stays consistent', async () => {
    const gateway = testGateway({ clock: testClock(MONTH_END_EPOCH_SECONDS * 1_000 - 2) });
    const { key, projectId } = await tenant(gateway, limitedTo(1));
    expect((await gateway.ping(key)).status).toBe(200);
    gateway.clock.nowMs += 1;
    expect((await gateway.ping(key)).headers['retry-after']).toBe('1');
    expect(await gateway.verify(projectId)).toEqual(sound(1));
    gateway.clock.nowMs += 1;
    const headers = quotaHeaders(1, 0, Date.UTC(2030, 2) / 1_000);
    expect(await gateway.ping(key)).toMatchObject({ status: 200, headers });
    expect(await gateway.verify(projectId)).toEqual(sound(1));
    const of = ['2030-01', '2030-01', '2030-02'];
    expect((await gateway.events(projectId)).map(({ period }) => period)).toEqual(of);
  });

  test('starts again each day where the stage says so', async () => {
    const { gateway, key, projectId } = await gatewayWithTenant(limitedTo(1), { quotaPeriod: 'day' });
    expect((await gateway.ping(key)).headers).toMatchObject(quotaHeaders(1, 0, Date.UTC(2030, 0, 16) / 1_000));
    expect((await gateway.ping(key)).status).toBe(429);
    gateway.clock.nowMs += DAY_MS;
    expect((await gateway.ping(key)).status).toBe(200);
    const of = ['2030-01-15', '2030-01-15', '2030-01-16'];
    expect((await gateway.events(projectId)).map(({ period }) => period)).toEqual(of);
  });
});

test('the quota belongs to the project: another key adds none', async () => {
  const { gateway, key, projectId } = await gatewayWithTenant({ quotaLimit: 1 });
  const scopes = new Set(['sandbox:invoke']);
  const second = await createKey(gateway.store, { projectId, mode: 'test', scopes, rpm: 60 });
  expect((await gateway.ping(key)).status).toBe(200);
  expect((await gateway.ping(second.key)).body.code).toBe('QUOTA_EXCEEDED');
});
