import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { MS_PER_SECOND, type Period } from '../../shared/time.ts';
import { isOneLayout, unitsUsed } from '../../shared/request/quota-shards.ts';
import { RefusedError } from '../../accounts/store/refusals.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { jitteredDelayMs, MAX_ATTEMPTS, NO_DEADLINE } from '../../shared/store/client.ts';
import type { ItemKey } from '../../shared/store/items.ts';
import { itemsFrom, queryOf, readItem, readTransaction } from '../../shared/store/tables.ts';
import {
  counterKeys,
  counterOf,
  readQuotaCounter,
  type CounterItem,
  type ShardItem,
} from '../../shared/store/quota-counter.ts';
import { beginCapPass, type CapPassOver } from './cap-passes.ts';
import { judge, type Pass } from './difference.ts';
import { isCount, LEDGER_ATTRIBUTES, type LedgerItem } from '../events/irregular-events.ts';
import { eventsWithin } from '../events/log.ts';
import { asking, EVENTS_PER_PAGE, queryPages } from '../events/pages.ts';

/** The subject of a pass. */
export interface PassSubject {
  readonly projectId: string;
  readonly period: Period;
  /** Read every event of the project, and not only those of the period's time. */
  readonly deep: boolean;
  /** Read events for half of the read units. One that was stored a moment ago may be missing. */
  readonly isCheap?: boolean | undefined;
  /** The most events of one pass; absent: any number. */
  readonly mostEvents?: number | undefined;
}

/** More events than a check reads. */
export class TooManyEvents extends Error {}

/** One pass over the ledger of a project and period, and over those of the caps of its keys. */
export interface LedgerPass extends Pass {
  /** By the sort key of each cap's counter that was there before, or had an event in between. */
  readonly caps: ReadonlyMap<string, CapPassOver>;
}

/**
 * Makes passes over the ledger of a project and period. Each reads the counters, then all events, then the counters
 * again. The passes alternate: from the oldest event, then from the newest. Charges are made at the newest. So the
 * first kind sees nearly all charges that the counter has at the end, and the second kind few more than it had at the
 * beginning. Their bounds are as close as those of a short pass, however long the reading takes.
 *
 * A pass throws {@link TooManyEvents} beyond `mostEvents`.
 *
 * @param visit receives every event, as stored
 */
export function ledgerPasses(
  store: AccountStore,
  what: PassSubject,
): (visit: (item: LedgerItem) => void) => Promise<LedgerPass> {
  const reader = { ...store, client: readingAnyNumber(store.client) };
  const { isCheap = false, mostEvents = Infinity } = what;
  const counter = wholeCounter(reader, what);
  let passes = 0;
  return async (visit) => {
    const ScanIndexForward = passes++ % 2 === 0;
    const caps = await beginCapPass(reader, what, (key) => readFreeItem(reader, key));
    const query = {
      ...asking(eventsOf(reader, { ...what, period: caps.within }), LEDGER_ATTRIBUTES),
      Limit: EVENTS_PER_PAGE,
      ConsistentRead: !isCheap,
    };
    const pass = await passAround(counter, async () => {
      let [sum, events] = [0, 0];
      for await (const { items } of queryPages<LedgerItem>(reader, { ...query, ScanIndexForward })) {
        events += items.length;
        if (events > mostEvents) throw new TooManyEvents(`more than ${mostEvents} events`);
        for (const item of items) {
          visit(item);
          if (!Number.isSafeInteger(item.units)) continue;
          const units = item.units as number;
          if (item.period === what.period.id) sum += units;
          caps.add(item, units);
        }
      }
      return sum;
    });
    return { ...pass, caps: await caps.end() };
  };
}

/**
 * As {@link ledgerPasses}, for a caller who sums the events in `sum`. It takes few read units: 3, and 2 for each shard.
 */
export function counterPasses(store: AccountStore, what: CounterOf): (sum: () => Promise<number>) => Promise<Pass> {
  const counter = listedCounter({ ...store, client: readingAnyNumber(store.client) }, what);
  return (sum) => passAround(counter, sum);
}

/** The pause before each further pass. It gets longer, so that regular charges do not coincide with every pass. */
const PAUSE_MS = 20;

/**
 * Makes passes until they decide, by `isOpen`, or until there are `most`. Adds each to `passes`, so the earlier ones are
 * kept if one fails.
 */
export async function passUntilDecided<T extends Pass>(
  { sleep }: AccountStore,
  passes: T[],
  most: number,
  pass: () => Promise<T>,
  isOpen = (seen: readonly T[]): boolean => judge(seen).verdict === 'undecided',
): Promise<void> {
  while (passes.length === 0 || (isOpen(passes) && passes.length < most)) {
    if (passes.length > 0) await sleep(passes.length * PAUSE_MS, NO_DEADLINE);
    passes.push(await pass());
  }
}

/** The two reads of a counter around the reading of the events: consistently, and when no transaction holds it. */
interface CounterReads {
  readonly before: () => Promise<number>;
  readonly after: () => Promise<number>;
}
type CounterOf = Pick<PassSubject, 'projectId' | 'period'>;

const passAround = async ({ before, after }: CounterReads, sum: () => Promise<number>): Promise<Pass> => ({
  before: await before(),
  sum: await sum(),
  after: await after(),
});

function eventsOf(store: AccountStore, { projectId, period, deep }: PassSubject) {
  // An event's time and period come from one reading of the clock, so the period's events are within its bounds.
  const span = { sinceMs: period.startsAtMs, untilMs: period.endsAtEpochSeconds * MS_PER_SECOND };
  return deep ? queryOf(store.tables.usage, projectId) : eventsWithin(store, projectId, span);
}

/**
 * `before` reads the items consistently: with everything that is committed by now, and perhaps before some of what is
 * being committed. `after` reads them when no transaction holds them. Of charges that are visible in another item, it
 * has all.
 */
function wholeCounter(store: AccountStore, what: CounterOf): CounterReads {
  const [key, ...shardKeys] = counterKeys(what.projectId, what.period.id);
  const each = async (read: (key: ItemKey) => Promise<unknown>): Promise<CounterItems> => {
    const item = (await read(key)) as CounterItem | undefined;
    // Also surplus shards: their units are part of what is left.
    const known = counterOf(item).layout === undefined ? [] : shardKeys;
    return { item, shards: await Promise.all(known.map(read)) };
  };
  return {
    before: () => unitsOf(store, what, () => each((itemKey) => readItem(store, itemKey))),
    after: () => unitsOf(store, what, () => each((itemKey) => readFreeItem(store, itemKey))),
  };
}

/** The same, of the items that one query lists: most counters have no shards, or a few. */
function listedCounter(store: AccountStore, what: CounterOf): CounterReads {
  const [key, ...shardKeys] = counterKeys(what.projectId, what.period.id);
  let listed: readonly ItemKey[] = [];
  const list = async (): Promise<CounterItems> => {
    const items = await Array.fromAsync(itemsFrom<ItemKey>(store, key));
    // The prefix of a month is also that of its days, if the quota was counted by day before.
    listed = shardKeys.filter(({ sk }) => items.some((item) => item.sk === sk));
    return {
      item: items.find(({ sk }) => sk === key.sk) as CounterItem | undefined,
      shards: items.filter(({ sk }) => listed.some((shard) => shard.sk === sk)),
    };
  };
  const readFree = async (made: number): Promise<CounterItems> => {
    // A layout was made after the query.
    if (made > 1) await list();
    const [item, ...shards] = await Promise.all([key, ...listed].map((itemKey) => readFreeItem(store, itemKey)));
    return { item: item as CounterItem | undefined, shards };
  };
  return { before: () => unitsOf(store, what, list), after: () => unitsOf(store, what, readFree) };
}

async function readFreeItem({ client, tables, sleep, random }: AccountStore, Key: ItemKey): Promise<unknown> {
  const retry = { sleep, random, deadline: NO_DEADLINE };
  return (await readTransaction(client, [{ TableName: tables.gateway, Key }], retry))[0];
}

/** The items of a counter as stored; undefined: absent. */
interface CounterItems {
  readonly item: CounterItem | undefined;
  readonly shards: readonly unknown[];
}

/** A counter without a number of units, for example after a manual change. */
export class UncountableError extends RefusedError {}

/**
 * Units used, of the counter and its shards. They are read one after another. Within one layout this gives a value
 * between the first read and the last (`shared/request/quota-shards.ts`), which is enough for a pass. Otherwise it reads
 * again, and at last in one transaction: in a copy whose items lost their end, layouts stay mixed until the next charge.
 */
async function unitsOf(
  store: AccountStore,
  what: CounterOf,
  read: (made: number) => Promise<CounterItems>,
): Promise<number> {
  for (let made = 1; made <= MAX_ATTEMPTS; made++) {
    const { item = { units: 0 }, shards } = await read(made);
    const counter = counterOf(item, shards.filter((shard) => shard !== undefined) as ShardItem[]);
    // A repair may have brought one in shards below 0: without a limit they are charged beyond what was lent.
    const isNumber = counter.layout ? Number.isSafeInteger(item.units) : isCount(item.units);
    if (!isNumber || !counter.shards.every(({ left }) => Number.isSafeInteger(left))) {
      throw new UncountableError(
        `The counter of project ${what.projectId} for ${what.period.id} holds no number of units.`,
      );
    }
    if (isOneLayout(counter)) return unitsUsed(counter);
    await store.sleep(jitteredDelayMs(made, store.random), NO_DEADLINE);
  }
  const { client, tables, sleep, random } = store;
  const retry = { sleep, random, deadline: NO_DEADLINE };
  return unitsUsed(await readQuotaCounter(client, tables.gateway, what.projectId, what.period.id, retry));
}

/** The same client. It would refuse numbers that are not exact; here these are found and reported. */
const readingAnyNumber = (client: DynamoDBDocumentClient): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: Number } });
