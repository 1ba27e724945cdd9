import { beforeAll, describe, expect, test } from '@jest/globals';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import { locateKey } from '../../functions/accounts/keys/stored-keys.ts';
import { periodAt } from '../../functions/shared/time.ts';
import { verifyLedger } from '../../functions/usage/checks/verification.ts';
import { budget, storeCap, storedCaps } from '../support/caps.ts';
import { tenant, testGateway, type TestGateway } from '../support/gateway.ts';
import type { TestResponse } from '../support/http.ts';
import { HOUR_MS, NOW_MS } from '../support/times.ts';
import { versionBefore } from '../support/version-before.ts';
import { under } from '../support/visits.ts';

/** Its code is built from its commit. */
const BUILD_MS = 60_000;
const JANUARY = periodAt(NOW_MS, 'month');

let before: Awaited<ReturnType<typeof versionBefore>>;
beforeAll(async () => {
  before = await versionBefore();
}, BUILD_MS);
/** This version, and that before. */
const gateways = (): readonly [TestGateway, TestGateway] => [
  testGateway(),
  testGateway({ version: before, operations: before.OPERATIONS }),
];

const statusOf = (answers: readonly TestResponse[]) => answers.map(({ status }) => status);
/** Both versions find the ledger consistent. */
async function bothVerify({ store }: TestGateway, projectId: string, units: number): Promise<void> {
  const books = { consistent: true, quotaUsed: units, ledgerUnits: units };
  expect(await verifyLedger(store, projectId, JANUARY)).toEqual(books);
  expect(await before.verifyLedger(store, projectId, JANUARY)).toEqual(books);
}

describe('beside the version before, on the same tables,', () => {
  test.each([
    ['by the quota’s period', '', '2030-01'],
    ['by day', '.d', '2030-01-15'],
    ['by week', '.w', '2030-W03'],
    ['once', '.o', 'once'],
  ])('a cap %s is charged by both, also after rotations by both, and both verify', async (_, suffix, spanId) => {
    const [now, then] = gateways();
    const { key, keyId, projectId } = await tenant(now, { rpm: 1_800, shards: 2 });
    const capId = keyId + suffix;
    await storeCap(now.store, key, 100, capId);
    expect(statusOf(await Promise.all([now, then, now, then].map((each) => each.ping(key))))).toEqual([
      200, 200, 200, 200,
    ]);
    const second = await before.rotateKey(now.store, projectId, keyId, HOUR_MS);
    expect(await locateKey(now.store, projectId, second.keyId)).toMatchObject({ capId, unitsLimit: 100 });
    const third = await rotateKey(now.store, projectId, second.keyId, HOUR_MS, undefined, keyId);
    expect(await locateKey(now.store, projectId, third.keyId)).toMatchObject({ capId, unitsLimit: 100 });
    for (const each of [second, third]) {
      expect(statusOf(await Promise.all([now, then].map((instance) => instance.ping(each.key))))).toEqual([200, 200]);
    }
    const units = Object.fromEntries(
      Object.entries(await storedCaps(now.store, projectId)).map(([name, held]) => [
        name,
        (held as { units: number }).units,
      ]),
    );
    // The version before knows only the quota's period, where such a cap has a counter of its own.
    const own = suffix === '' ? { [`2030-01#${capId}`]: 8 } : { [`${spanId}#${capId}`]: 4, [`2030-01#${capId}`]: 4 };
    expect(units).toEqual(own);
    await bothVerify(now, projectId, 8);
  });

  test('a budget is charged by both, and a duplicate is replayed by either', async () => {
    const [now, then] = gateways();
    const { projectId } = await tenant(now, {});
    const { capId, keys } = await budget(now.store, projectId, 2, 50);
    const [first = '', second = ''] = keys;
    await now.ping(first, under('a'));
    await then.ping(second, under('b'));
    for (const answer of [await then.ping(second, under('a')), await now.ping(first, under('b'))]) {
      expect([answer.status, answer.headers['x-service-idempotency-replayed']]).toEqual([200, 'true']);
    }
    expect(await storedCaps(now.store, projectId)).toEqual({
      [`once#${capId}`]: { units: 1, limit: 50, 'm2030-01': 1 },
      [`2030-01#${capId}`]: { units: 1 },
    });
    await bothVerify(now, projectId, 2);
  });
});
