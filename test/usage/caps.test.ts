import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { periodAt } from '../../functions/shared/time.ts';
import { eventKey, itemKey } from '../../functions/shared/store/items.ts';
import { counterRepair } from '../../functions/usage/checks/repair.ts';
import { verifyEveryLedger, verifyLedger } from '../../functions/usage/checks/verification.ts';
import { ownTables } from '../support/books-by-hand.ts';
import { deleteItem, putItem } from '../support/database.ts';
import { tenant, testGateway, type TestGateway } from '../support/gateway.ts';
import { auditOf, itemsOf } from '../support/people.ts';
import { NOW_MS } from '../support/times.ts';

const JANUARY = periodAt(NOW_MS, 'month');
const KEPT_DAYS = 400;
const sound = { consistent: true, quotaUsed: 3, ledgerUnits: 3 };

let gateway: TestGateway;
let projectId: string;
let accountId: string;
let keyId: string;
/** Each test starts with three requests that were charged under a cap. */
beforeEach(async () => {
  gateway = testGateway();
  const made = await tenant(gateway, { unitsLimit: 9 });
  ({ projectId, accountId, keyId } = made);
  for (let n = 0; n < 3; n++) await gateway.ping(made.key);
});

const verify = () => verifyLedger(gateway.store, projectId, JANUARY);
const repair = () => counterRepair(gateway.store, projectId, JANUARY, KEPT_DAYS);
const counterAt = (id = keyId) => itemKey.capUnits(projectId, JANUARY.id, id);
const putUnits = (units: unknown, id = keyId) => putItem(gateway.store, { ...counterAt(id), units });
const deleteCounter = () => deleteItem(gateway.store, counterAt());
const different = (by: number) => ({ atLeast: by, atMost: by });

describe('the verification of a ledger', () => {
  test('holds the counter of a cap against the events under it', async () => {
    expect(await verify()).toEqual(sound);
    for (const [units, by] of [
      [2, 1],
      [5, -2],
      [0, 3],
    ] as const) {
      await putUnits(units);
      const key = { keyId, unitsUsed: units, ledgerUnits: 3, difference: different(by) };
      expect(await verify()).toEqual({ ...sound, consistent: false, keys: [key] });
    }
  });

  test('finds a counter that is gone, one without events, and an event that names no cap any more', async () => {
    await deleteCounter();
    const gone = { keyId, unitsUsed: 0, ledgerUnits: 3, difference: different(3) };
    expect(await verify()).toEqual({ ...sound, consistent: false, keys: [gone] });
    await putUnits(3);
    await putUnits(1, 'key_other');
    const stray = { keyId: 'key_other', unitsUsed: 1, ledgerUnits: 0, difference: different(-1) };
    expect(await verify()).toEqual({ ...sound, consistent: false, keys: [stray] });

    await putUnits(0, 'key_other');
    const [event] = await gateway.events(projectId);
    if (!event) throw new Error('three were charged');
    const { client, tables } = gateway.store;
    const UpdateExpression = 'REMOVE capId';
    await client.send(new UpdateCommand({ TableName: tables.usage, Key: eventKey(event), UpdateExpression }));
    expect(await verify()).toMatchObject({ consistent: false, keys: [{ keyId, difference: different(-1) }] });
  });

  test('is refused where a counter holds no number of units', async () => {
    await putUnits('3');
    await expect(verify()).rejects.toThrow(`The counter of key ${keyId} holds no number of units.`);
  });

  test('of all ledgers finds a project of which only the counter of a cap is left', async () => {
    const { store } = await ownTables();
    await putItem(store, { ...counterAt(), units: 3 });
    const found = await Array.fromAsync(verifyEveryLedger(store, JANUARY));
    expect(found).toEqual([{ projectId, consistent: false, error: expect.stringContaining('no project') }]);
  });
});

describe('the repair of the counter of a cap', () => {
  const repairs = () => auditOf(gateway, accountId, 'ledger.repair');

  test.each(['none', 1, 8] as const)(
    'brings it from %s to the sum of its events, with its audit event',
    async (was) => {
      const units = was === 'none' ? 0 : was;
      await (was === 'none' ? deleteCounter() : putUnits(was));
      const found = await repair();
      expect(found).toMatchObject({ difference: 0, keys: [{ keyId, difference: 3 - units, unitsUsed: units }] });
      await found?.apply();
      expect(await verify()).toEqual(sound);
      const values = (of: number) => ({ period: '2030-01', units: of });
      expect(await repairs()).toEqual([
        expect.objectContaining({ projectId, keyId, before: values(units), after: values(3) }),
      ]);
      const caps = (await itemsOf(gateway, `PROJECT#${projectId}`)).filter(({ sk }) => sk === counterAt().sk);
      expect(caps).toMatchObject([{ units: 3, repairs: 1, ttl: JANUARY.endsAtEpochSeconds + KEPT_DAYS * 86_400 }]);
    },
  );

  test('is made once, however many decided it, and beside that of the project', async () => {
    await putUnits(1);
    await putItem(gateway.store, { ...itemKey.quota(projectId, JANUARY.id), units: 9 });
    const all = await Promise.all([repair(), repair()]);
    expect(all[0]).toMatchObject({ difference: -6, keys: [{ difference: 2 }] });
    const results = await Promise.allSettled(all.map(async (found) => found?.apply()));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await verify()).toEqual(sound);
    expect(await repairs()).toHaveLength(2);
  });
});
