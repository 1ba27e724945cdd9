import { beforeEach, describe, expect, test } from '@jest/globals';
import { readProject } from '../../functions/accounts/projects/stored-projects.ts';
import { periodAt } from '../../functions/shared/time.ts';
import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';
import { counterRepair } from '../../functions/usage/checks/repair.ts';
import { verifyLedger } from '../../functions/usage/checks/verification.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { putItem } from '../support/database.ts';
import { booksByHand } from '../support/books-by-hand.ts';
import { tenant, testGateway } from '../support/gateway.ts';
import { auditOf, itemsOf } from '../support/people.ts';
import { before } from '../support/overtaking.ts';
import { NOW_MS } from '../support/times.ts';

const JANUARY = periodAt(NOW_MS, 'month');
const KEPT_DAYS = 400;
const { store } = testGateway();
let projectId: string;
let books: ReturnType<typeof booksByHand>;
/** One of three charged events. */
let lost: UsageEvent;
const repair = () => counterRepair(store, projectId, JANUARY, KEPT_DAYS);
const verify = () => verifyLedger(store, projectId, JANUARY);
const repairs = async () => {
  const { accountId } = await readProject(store, projectId);
  return auditOf({ store }, accountId, 'ledger.repair');
};

beforeEach(async () => {
  ({ projectId } = await tenant({ store }));
  books = booksByHand(store, projectId);
  lost = books.event();
  for (const event of [lost, {}, {}]) await books.charge(event);
});

describe('the repair of a counter', () => {
  test('has nothing to do where the books are balanced', async () => {
    expect(await repair()).toBeUndefined();
  });

  test.each(['none', 7] as const)(
    'brings it from %s to the sum of its events, and the audit tells of both',
    async (was) => {
      const units = was === 'none' ? 0 : was;
      await (was === 'none' ? books.deleteCounter() : books.putCounter(was));
      const found = await repair();
      expect(found).toMatchObject({ quotaUsed: units, ledgerUnits: 3, difference: 3 - units });
      await found?.apply();
      expect(await verify()).toEqual({ consistent: true, quotaUsed: 3, ledgerUnits: 3 });
      // It expires with the events and not before.
      const [counter] = (await itemsOf({ store }, `PROJECT#${projectId}`)).filter(({ sk }) => sk === 'QUOTA#2030-01');
      expect(counter?.ttl).toBe(JANUARY.endsAtEpochSeconds + KEPT_DAYS * 86_400);
      const values = (of: number) => ({ period: '2030-01', units: of });
      expect(await repairs()).toEqual([
        expect.objectContaining({ projectId, before: values(units), after: values(3) }),
      ]);
    },
  );

  test('leaves a counter the end that its charges gave it: whoever repairs may not know the setting of the stage', async () => {
    const ttl = JANUARY.endsAtEpochSeconds + 2 * KEPT_DAYS * 86_400;
    await books.deleteCounter();
    const found = await repair();
    // Also one whose first charge came after the repair was decided.
    await putItem(store, { ...itemKey.quota(projectId, JANUARY.id), units: 0, ttl });
    await found?.apply();
    const [counter] = (await itemsOf({ store }, `PROJECT#${projectId}`)).filter(({ sk }) => sk === 'QUOTA#2030-01');
    expect(counter).toMatchObject({ units: 3, ttl });
  });

  test('is right also when requests were charged since it was decided', async () => {
    await books.putCounter(1);
    const found = await repair();
    for (let i = 0; i < 4; i++) await books.charge();
    await found?.apply();
    expect(await verify()).toEqual({ consistent: true, quotaUsed: 7, ledgerUnits: 7 });
  });

  test('is made once also where others were made before, however many decided it', async () => {
    await books.putCounter(1);
    await (await repair())?.apply();
    // An event is deleted by hand: the counter, and the earlier repair, still have its units.
    await books.deleteEvent(lost);
    const again = await Promise.all([repair(), repair()]);
    const results = await Promise.allSettled(again.map(async (found) => found?.apply()));
    const message = expect.stringContaining(`The counter of project ${projectId}`) as unknown;
    const reason = expect.objectContaining({ code: 'CHANGED_MEANWHILE', message }) as unknown;
    expect(results.toSorted((a, b) => (a.status < b.status ? -1 : 1))).toEqual([
      expect.objectContaining({ status: 'fulfilled' }),
      { status: 'rejected', reason },
    ]);
    expect(await verify()).toEqual({ consistent: true, quotaUsed: 2, ledgerUnits: 2 });
    expect(await repairs()).toHaveLength(2);
  });

  test('is refused, to be tried again, where what is charged meanwhile leaves the difference open', async () => {
    const busy = testGateway();
    before(busy, 'QueryCommand', () => books.charge(), Infinity);
    await books.deleteEvent(lost);
    await expect(counterRepair(busy.store, projectId, JANUARY, KEPT_DAYS)).rejects.toThrow(
      'Too much was charged meanwhile to be certain of the difference: try again.',
    );
    expect(await repairs()).toEqual([]);
  });

  test('is refused where events are irregular', async () => {
    await books.putEvent({ units: 5 });
    await expect(repair()).rejects.toThrow('There are irregular events');
    expect(await repairs()).toEqual([]);
  });
});
