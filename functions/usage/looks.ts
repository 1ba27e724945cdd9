import { DynamoDBDocumentClient, TransactGetCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { MS_PER_SECOND } from '../core/clock.ts';
import { StoreUnavailableError } from '../core/errors.ts';
import type { Period } from '../core/period.ts';
import { isOneLayout, unitsUsed } from '../core/quota-shards.ts';
import { RefusedError } from '../accounts/refusals.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { jitteredDelayMs, MAX_ATTEMPTS, NO_DEADLINE, retryConflicts } from '../store/client.ts';
import { readItem, names, type ItemKey } from '../store/items.ts';
import { counterKeys, counterOf, type CounterItem, type ShardItem } from '../store/quota-counter.ts';
import type { Look } from './difference.ts';
import { isCount, LEDGER_ATTRIBUTES, type LedgerItem } from './irregular-events.ts';
import { eventQuery } from './log.ts';
import { itemPages } from './pages.ts';

/** The subject of a pass. */
export interface LookedAt {
  readonly projectId: string;
  readonly period: Period;
  /** Read every event of the project, and not only those of the period's time. */
  readonly deep: boolean;
}

/**
 * Makes passes over the ledger of a project and period. Each reads the counter, then all events, then the counter
 * again. The passes alternate: from the oldest event, then from the newest. Charges are made at the newest. So the
 * first kind sees nearly all charges that the counter has at the end, and the second kind few more than it had at the
 * beginning. Their bounds are as close as those of a short pass, however long the reading takes.
 *
 * @param visit receives every event, as stored
 */
export function observer(store: AccountStore, what: LookedAt): (visit: (item: LedgerItem) => void) => Promise<Look> {
  const reader = { ...store, client: readingAnyNumber(store.client) };
  const query = eventsOf(reader, what);
  let looks = 0;
  return async (visit) => {
    const ScanIndexForward = looks++ % 2 === 0;
    const before = await readCounter(reader, what);
    let sum = 0;
    for await (const { items } of itemPages(reader.client, { ...query, ScanIndexForward }, LEDGER_ATTRIBUTES)) {
      for (const item of items as readonly unknown[] as readonly LedgerItem[]) {
        visit(item);
        if (item.period === what.period.id && Number.isSafeInteger(item.units)) sum += item.units as number;
      }
    }
    return { before, sum, after: await readFreeCounter(reader, what) };
  };
}

function eventsOf(store: AccountStore, { projectId, period, deep }: LookedAt): QueryCommandInput {
  // An event's time and period come from one reading of the clock, so the period's events are within its bounds.
  const span = { sinceMs: period.startsAtMs, untilMs: period.endsAtEpochSeconds * MS_PER_SECOND };
  if (!deep) return eventQuery(store, projectId, span);
  return {
    TableName: store.tables.usage,
    KeyConditionExpression: '#pk = :pk',
    ExpressionAttributeNames: names('pk'),
    ExpressionAttributeValues: { ':pk': projectId },
    ConsistentRead: true,
  };
}

/**
 * The items of a counter, consistently: with everything that is committed by now, and perhaps before some of what is
 * being committed.
 */
const readCounter = (store: AccountStore, what: LookedAt): Promise<number> =>
  unitsOf(store, what, (key) => readItem(store, key));

/** The same when no transaction holds them. Of charges that are visible in another item, they have all. */
const readFreeCounter = (store: AccountStore, what: LookedAt): Promise<number> =>
  unitsOf(store, what, (key) => readFreeItem(store, key));

async function readFreeItem(store: AccountStore, Key: ItemKey): Promise<unknown> {
  const command = new TransactGetCommand({ TransactItems: [{ Get: { TableName: store.tables.gateway, Key } }] });
  const { Responses } = await retryConflicts(() => store.client.send(command), { ...store, deadline: NO_DEADLINE });
  // A missing answer is not an absent counter: a repair could use the resulting difference.
  if (!Responses?.[0]) throw new StoreUnavailableError('a transaction came back without its item');
  return Responses[0].Item;
}

/**
 * Units used, of the counter and its shards. They are read one after another. Within one layout this gives a value
 * between the first read and the last (`core/quota-shards.ts`), which is enough for a pass. Otherwise it reads again.
 */
async function unitsOf(store: AccountStore, what: LookedAt, read: (key: ItemKey) => Promise<unknown>): Promise<number> {
  const [key, ...shardKeys] = counterKeys(what.projectId, what.period.id);
  for (let made = 1; made <= MAX_ATTEMPTS; made++) {
    const item = ((await read(key)) ?? { units: 0 }) as CounterItem;
    // Also surplus shards: their units are part of what is left.
    const known = counterOf(item).layout === undefined ? [] : shardKeys;
    const shards = await Promise.all(known.map(read));
    const counter = counterOf(item, shards.filter((shard) => shard !== undefined) as ShardItem[]);
    if (!isCount(item.units) || !counter.shards.every(({ left }) => Number.isSafeInteger(left))) {
      throw new RefusedError(
        `The counter of project ${what.projectId} for ${what.period.id} holds no number of units.`,
      );
    }
    if (isOneLayout(counter)) return unitsUsed(counter);
    await store.sleep(jitteredDelayMs(made, store.random), NO_DEADLINE);
  }
  throw new RefusedError(`The shards of project ${what.projectId} for ${what.period.id} are not of one layout.`);
}

/** The same client. It would refuse numbers that are not exact; here these are found and reported. */
const readingAnyNumber = (client: DynamoDBDocumentClient): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: Number } });
