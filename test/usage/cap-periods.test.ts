import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { periodAt, periodOf } from '../../functions/shared/time.ts';
import { eventKey, itemKey } from '../../functions/shared/store/items.ts';
import { readItem } from '../../functions/shared/store/tables.ts';
import { capUnitsOf } from '../../functions/usage/checks/cap-passes.ts';
import { counterRepair } from '../../functions/usage/checks/repair.ts';
import { verifyLedger } from '../../functions/usage/checks/verification.ts';
import { budget, storeCap, storedCaps } from '../support/caps.ts';
import { deleteItem, putItem, recordCalls } from '../support/database.ts';
import { tenant, testGateway, type TestGateway } from '../support/gateway.ts';
import { auditOf } from '../support/people.ts';

const JANUARY = periodAt(Date.UTC(2030, 0, 31), 'month');
const FEBRUARY = periodAt(Date.UTC(2030, 1), 'month');
const KEPT_DAYS = 400;
const sound = { consistent: true, quotaUsed: 3, ledgerUnits: 3 };
const by = (units: number) => ({ atLeast: units, atMost: units });

let gateway: TestGateway;
beforeEach(() => {
  gateway = testGateway();
});

/** Two requests on the last day of January and one on the first of February, which is in the same week. */
async function charged(suffix: string, instance = gateway) {
  const made = await tenant(gateway, {});
  const capId = `${made.keyId}${suffix}`;
  await storeCap(gateway.store, made.key, 9, capId);
  instance.clock.nowMs = Date.UTC(2030, 0, 31, 12);
  for (let n = 0; n < 2; n++) await instance.ping(made.key);
  instance.clock.nowMs = Date.UTC(2030, 1, 1, 12);
  await instance.ping(made.key);
  return { ...made, capId };
}
const verify = (projectId: string, period = JANUARY) => verifyLedger(gateway.store, projectId, period);
const repair = (projectId: string, period = JANUARY) => counterRepair(gateway.store, projectId, period, KEPT_DAYS);
const inJanuary = { consistent: true, quotaUsed: 2, ledgerUnits: 2 };
const inFebruary = { consistent: true, quotaUsed: 1, ledgerUnits: 1 };

/** By the suffix: the id of the period, and what its counter holds, in all and by month. */
const HELD = [
  ['.d', '2030-01-31', { units: 2 }],
  ['.w', '2030-W05', { units: 3, 'm2030-01': 2, 'm2030-02': 1 }],
  ['.o', 'once', { units: 3, 'm2030-01': 2, 'm2030-02': 1 }],
] as const;

describe.each(HELD)('the counter of a cap %s', (suffix, spanId, held) => {
  const at = (projectId: string, capId: string) => itemKey.capUnits(projectId, spanId, capId);
  const put = (projectId: string, capId: string, more: object) =>
    putItem(gateway.store, { ...at(projectId, capId), ...held, ...more });

  test('is held against the events of each month', async () => {
    const { projectId, capId } = await charged(suffix);
    expect((await storedCaps(gateway.store, projectId))[`${spanId}#${capId}`]).toEqual(held);
    expect([await verify(projectId), await verify(projectId, FEBRUARY)]).toEqual([inJanuary, inFebruary]);
  });

  test('that is gone, or has other units, is found and repaired, once', async () => {
    const { projectId, accountId, keyId, capId } = await charged(suffix);
    const isSplit = 'm2030-01' in held;
    const row = { keyId, capId, period: spanId };
    await put(projectId, capId, isSplit ? { units: 2, 'm2030-01': 1 } : { units: 1 });
    const wrong = { ...row, unitsUsed: isSplit ? 2 : 1, ledgerUnits: held.units, difference: by(1) };
    expect(await verify(projectId)).toEqual({ ...inJanuary, consistent: false, keys: [wrong] });
    expect(await verify(projectId, FEBRUARY)).toEqual(inFebruary);
    const both = await Promise.all([repair(projectId), repair(projectId)]);
    const results = await Promise.allSettled(both.map(async (found) => found?.apply()));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await readItem(gateway.store, at(projectId, capId))).toMatchObject({ ...held, repairs: 1 });
    expect(await verify(projectId)).toEqual(inJanuary);
    const values = (units: number) => ({ period: spanId, units });
    expect(await auditOf(gateway, accountId, 'ledger.repair')).toEqual([
      expect.objectContaining({ keyId, before: values(held.units - 1), after: values(held.units) }),
    ]);

    await deleteItem(gateway.store, at(projectId, capId));
    for (const period of [JANUARY, FEBRUARY]) await (await repair(projectId, period))?.apply();
    const again = await readItem<{ ttl?: number }>(gateway.store, at(projectId, capId));
    expect(again).toMatchObject(held);
    const ends = { '.d': Date.UTC(2030, 1, 1), '.w': Date.UTC(2030, 1, 4), '.o': undefined }[suffix];
    expect(again?.ttl).toBe(ends && ends / 1_000 + KEPT_DAYS * 86_400);
    expect([await verify(projectId), await verify(projectId, FEBRUARY)]).toEqual([inJanuary, inFebruary]);
  });
});

describe('a counter with months', () => {
  const at = (projectId: string, capId: string) => itemKey.capUnits(projectId, 'once', capId);

  test('is the sum of them and of what was before, which nobody compares', async () => {
    const { projectId, keyId, capId } = await charged('.o');
    const put = (more: object) => putItem(gateway.store, { ...at(projectId, capId), ...HELD[2][2], ...more });
    await put({ units: 43, before: 40 });
    expect(await verify(projectId)).toEqual(inJanuary);
    const row = { keyId, capId, period: 'once' };
    await put({ units: 44, before: 40 });
    const more = { ...row, unitsUsed: 44, ledgerUnits: 43, difference: by(-1), monthDifference: by(0) };
    expect(await verify(projectId)).toEqual({ ...inJanuary, consistent: false, keys: [more] });
    // Both at once: the month lacks a unit, and the whole has one too many of all.
    await put({ units: 43, before: 40, 'm2030-01': 1 });
    const both = { ...row, unitsUsed: 43, ledgerUnits: 43, difference: by(0), monthDifference: by(1) };
    expect(await verify(projectId)).toEqual({ ...inJanuary, consistent: false, keys: [both] });
    await (await repair(projectId))?.apply();
    expect(await readItem(gateway.store, at(projectId, capId))).toMatchObject({ ...HELD[2][2], units: 43, before: 40 });
    await put({ units: 44, before: 40 });
    await (await repair(projectId))?.apply();
    expect(await readItem(gateway.store, at(projectId, capId))).toMatchObject({ ...HELD[2][2], units: 43, before: 40 });
    expect(await verify(projectId)).toEqual(inJanuary);
  });

  test.each([{ units: '3' }, { units: 3, 'm2030-01': '2' }, { units: 3, before: -1 }, { 'm2030-01': 2 }])(
    'that holds %j is refused',
    async (item) => {
      const { projectId, keyId, capId } = await charged('.o');
      await putItem(gateway.store, { ...at(projectId, capId), ...item });
      await expect(verify(projectId)).rejects.toThrow(`The counter of key ${keyId} holds no number of units.`);
    },
  );

  test('is one row, however many keys spend from it; before its first unit it holds its limit', async () => {
    const { projectId } = await tenant(gateway, {});
    const { capId, keys } = await budget(gateway.store, projectId, 3, 7);
    const verified = () => gateway.verify(projectId);
    expect(await verified()).toEqual({ consistent: true, quotaUsed: 0, ledgerUnits: 0 });
    for (const key of keys) await gateway.ping(key);
    expect(await verified()).toEqual(sound);
    await putItem(gateway.store, { ...at(projectId, capId), units: 2, 'm2030-01': 2, limit: 7 });
    const row = { keyId: capId.slice(0, -2), capId, period: 'once', unitsUsed: 2, ledgerUnits: 3, difference: by(1) };
    expect(await verified()).toEqual({ ...sound, consistent: false, keys: [row] });
    await (await counterRepair(gateway.store, projectId, periodAt(gateway.clock.now(), 'month'), KEPT_DAYS))?.apply();
    expect(await readItem(gateway.store, at(projectId, capId))).toMatchObject({ units: 3, 'm2030-01': 3, limit: 7 });
  });
});

test('charges of the version before, under the quota’s period and its name, are held against their own counter', async () => {
  const { projectId, keyId, capId } = await charged('.w');
  const [event] = await gateway.events(projectId);
  if (!event) throw new Error('three were charged');
  // The version before has charged the last of them: its event names the cap by `capId`, in a counter of the month.
  const { client, tables } = gateway.store;
  await client.send(
    new UpdateCommand({
      TableName: tables.usage,
      Key: eventKey(event),
      UpdateExpression: 'SET capId = :id REMOVE #cap',
      ExpressionAttributeNames: { '#cap': 'cap' },
      ExpressionAttributeValues: { ':id': capId },
    }),
  );
  const inMonth = periodOf(event.period, 'month') ?? JANUARY;
  const old = itemKey.capUnits(projectId, event.period, capId);
  await putItem(gateway.store, { ...old, units: 1 });
  const part = `m${event.period}`;
  const left = { units: 2, 'm2030-01': 2, 'm2030-02': 1, [part]: event.period === '2030-01' ? 1 : 0 };
  await putItem(gateway.store, { ...itemKey.capUnits(projectId, '2030-W05', capId), ...left });
  expect([await verify(projectId), await verify(projectId, FEBRUARY)]).toEqual([inJanuary, inFebruary]);
  await putItem(gateway.store, { ...old, units: 3 });
  expect(await verify(projectId, inMonth)).toMatchObject({
    consistent: false,
    keys: [{ keyId, capId, unitsUsed: 3, ledgerUnits: 1, difference: by(-2) }],
  });
  await (await repair(projectId, inMonth))?.apply();
  expect(await readItem(gateway.store, old)).toMatchObject({ units: 1 });
});

test('a statement has the units of the month under each cap, and of a day those of caps by day', async () => {
  const { projectId, key, keyId } = await charged('.d');
  const unitsUnder = (period = JANUARY) => capUnitsOf(gateway.store, { projectId, period });
  for (const suffix of ['.d', '.w', '.o', '']) {
    await storeCap(gateway.store, key, 9, keyId + suffix);
    await gateway.ping(key);
  }
  await budget(gateway.store, projectId, 2, 5);
  const under = (suffix: string, units: number) => ({ capId: keyId + suffix, units });
  expect(await unitsUnder()).toEqual([under('.d', 2)]);
  const february = [under('', 1), under('.d', 2), under('.w', 1), under('.o', 1)];
  expect(await unitsUnder(FEBRUARY)).toEqual(expect.arrayContaining(february));
  expect(await unitsUnder(FEBRUARY)).toHaveLength(february.length);
  expect(await unitsUnder(periodOf('2030-02-01', 'day'))).toEqual([under('.d', 2)]);
});

describe('where the quota counts by day', () => {
  const day = (id: string) => periodOf(id, 'day') ?? JANUARY;
  const oneDay = { consistent: true, quotaUsed: 2, ledgerUnits: 2 };

  test.each([
    ['.w', '2030-W05', { 'm2030-01': 2, 'm2030-02': 1 }],
    ['.o', 'once', { 'm2030-01': 2, 'm2030-02': 1 }],
    ['.m', '2030-01', {}],
  ] as const)('a longer cap %s is held against the events of the month of the day', async (suffix, spanId, parts) => {
    const daily = testGateway({ quotaPeriod: 'day' });
    const { projectId, keyId, key, capId } = await charged(suffix, daily);
    daily.clock.nowMs = Date.UTC(2030, 0, 30);
    await daily.ping(key);
    const units = suffix === '.m' ? 3 : 4;
    const held = { units, ...parts, ...('m2030-01' in parts && { 'm2030-01': 3 }) };
    expect((await storedCaps(gateway.store, projectId))[`${spanId}#${capId}`]).toEqual(held);
    expect(await verify(projectId, day('2030-01-31'))).toEqual(oneDay);
    const part = suffix === '.m' ? {} : { 'm2030-01': 4 };
    await putItem(gateway.store, { ...itemKey.capUnits(projectId, spanId, capId), ...held, units: units + 1, ...part });
    const row = { keyId, capId, period: spanId, unitsUsed: units + 1, ledgerUnits: units, difference: by(-1) };
    // Any day of the month shows it.
    for (const [id, used] of [
      ['2030-01-31', 2],
      ['2030-01-30', 1],
    ] as const) {
      const found = { consistent: false, quotaUsed: used, ledgerUnits: used, keys: [row] };
      expect(await verify(projectId, day(id))).toEqual(found);
    }
    await (await repair(projectId, day('2030-01-31')))?.apply();
    expect(await verify(projectId, day('2030-01-31'))).toEqual(oneDay);
  });

  test('no event of another day is read for a project without such a cap', async () => {
    const daily = testGateway({ quotaPeriod: 'day' });
    const { projectId } = await charged('', daily);
    const { inputs } = recordCalls(gateway.store.client);
    expect(await verify(projectId, day('2030-01-31'))).toEqual(oneDay);
    const ofEvents = inputs.filter(
      (input) => (input as { TableName?: string }).TableName === gateway.store.tables.usage,
    );
    expect(ofEvents).toHaveLength(1);
    expect(ofEvents[0]).toMatchObject({
      ExpressionAttributeValues: { ':since': '2030-01-31T00:00:00.000Z', ':until': '2030-02-01T00:00:00.000Z' },
    });
  });
});
