import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isoTime, periodAt } from '../../functions/shared/time.ts';
import { verifyLedger } from '../../functions/usage/checks/verification.ts';
import { booksByHand, itemsPerPage } from '../support/books-by-hand.ts';
import { tenant, testGateway, type TestGateway } from '../support/gateway.ts';
import { before, cancelled } from '../support/overtaking.ts';
import { NOW_MS } from '../support/times.ts';

const JANUARY = periodAt(NOW_MS, 'month');
const PINGS = 5;

describe('while requests are charged', () => {
  let gateway: TestGateway;
  let projectId: string;
  let ping: () => Promise<unknown>;

  beforeEach(async () => {
    gateway = testGateway();
    const caller = await tenant(gateway, { rpm: 10_000 });
    projectId = caller.projectId;
    ping = () => {
      gateway.clock.nowMs++;
      return gateway.ping(caller.key);
    };
    for (let i = 0; i < PINGS; i++) await ping();
  });

  test('a removed event is noticed: each look bounds the difference, and looks are put together', async () => {
    const [removed] = await gateway.events(projectId);
    if (removed) await booksByHand(gateway.store, projectId).deleteEvent(removed);
    before(gateway, 'QueryCommand', ping, 3);
    const { consistent, difference } = await gateway.verify(projectId);
    expect([consistent, difference]).toEqual([false, { atLeast: -1, atMost: -1 }]);
  });

  test('a charge of each look hides a removed event: the ledger is not said to be consistent, but undecided', async () => {
    const [removed] = await gateway.events(projectId);
    if (removed) await booksByHand(gateway.store, projectId).deleteEvent(removed);
    before(gateway, 'QueryCommand', ping, Infinity);
    expect(await gateway.verify(projectId)).toMatchObject({
      consistent: false,
      undecidedUnits: 1,
      difference: { atLeast: -1, atMost: 0 },
    });
  });

  test('of books of many pages one look counts from the newest event on: what is charged meanwhile is not in it', async () => {
    itemsPerPage(gateway.store, 1);
    // Before every page of each read but the first.
    let page = 0;
    before(gateway, 'GetItemCommand', () => Promise.resolve((page = 0)), Infinity);
    before(gateway, 'QueryCommand', () => (page++ > 0 && page < 9 ? ping() : Promise.resolve()), Infinity);
    const { consistent, quotaUsed, ledgerUnits } = await gateway.verify(projectId);
    expect([consistent, quotaUsed]).toEqual([true, ledgerUnits]);
  });

  test('a charge whose event is seen before its counter is no inconsistency: a counter that is held is read again', async () => {
    const { store } = gateway;
    const books = booksByHand(store, projectId);
    before(gateway, 'QueryCommand', () => books.putEvent());
    before(gateway, 'TransactGetItemsCommand', async () => {
      await books.putCounter(PINGS + 1);
      throw cancelled('TransactionConflict');
    });
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: PINGS + 1, ledgerUnits: PINGS + 1 });
  });

  test('a charge whose counter is seen before its event is no inconsistency', async () => {
    const books = booksByHand(gateway.store, projectId);
    let looks = 0;
    const halfway = books.event();
    before(
      gateway,
      'GetItemCommand',
      () => (++looks === 2 ? books.putCounter(PINGS + 1) : Promise.resolve(undefined)),
      9,
    );
    before(
      gateway,
      'TransactGetItemsCommand',
      () => (looks === 2 ? books.putEvent(halfway) : Promise.resolve(undefined)),
      9,
    );
    expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: PINGS + 1, ledgerUnits: PINGS + 1 });
  });
});

/**
 * Actions right before each call of the verification: charges of requests that were received in these seconds of the
 * month.
 */
const charges = fc.array(fc.array(fc.integer({ min: 0, max: 86_400 }), { maxLength: 2 }), { maxLength: 40 });

test('books with a difference are never said to be consistent, and sound ones never to be wrong, whatever is charged meanwhile', async () => {
  const { store } = testGateway();
  itemsPerPage(store, 2);
  let meanwhile: () => Promise<unknown> = () => Promise.resolve();
  for (const command of ['GetItemCommand', 'QueryCommand', 'TransactGetItemsCommand'])
    before({ store }, command, () => meanwhile(), Infinity);
  await fc.assert(
    fc.asyncProperty(charges, fc.integer({ min: -2, max: 2 }), async (schedule, difference) => {
      meanwhile = () => Promise.resolve();
      const { projectId } = await tenant({ store });
      const books = booksByHand(store, projectId);
      const at = (second: number) => ({ occurredAt: isoTime(JANUARY.startsAtMs + second * 1_000) });
      for (let i = 0; i < 3; i++) await books.charge(at(i * 10_000));
      // An error from before remains: d = events - counter.
      await books.putCounter(3 - difference);
      const left = [...schedule];
      meanwhile = async () => {
        for (const second of left.shift() ?? []) await books.charge(at(second));
      };
      const verified = await verifyLedger(store, projectId, JANUARY);
      const { atLeast, atMost } = verified.difference ?? { atLeast: 0, atMost: 0 };
      expect([atLeast, atMost]).toEqual([Math.min(atLeast, difference), Math.max(atMost, difference)]);
      expect(verified.irregularEvents).toBeUndefined();
      if (verified.consistent) expect(difference).toBe(0);
      else if (verified.undecidedUnits === undefined) expect(difference).not.toBe(0);
      else expect(verified.undecidedUnits).toBe(atMost - atLeast);
      // The charges end before the reads do, so nothing is undecided.
      expect(verified.undecidedUnits).toBeUndefined();
    }),
    { numRuns: 15 },
  );
}, 60_000);
