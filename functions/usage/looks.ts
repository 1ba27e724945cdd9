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

/** What is looked at. */
export interface LookedAt {
  readonly projectId: string;
  readonly period: Period;
  /** Every event of the project, wherever it stands: not only where the period's belong. */
  readonly deep: boolean;
}

/**
 * Takes looks at the books of a project and period, each from the counter over all events to the counter again. They
 * count from the oldest event on and from the newest on in turn: charges go to the newest, so the ones of the first kind
 * see nearly all that is on the counter in the end, and those of the second hardly more than was on it at first. However
 * long it takes to read all of them, their bounds are as close as if it took a moment.
 *
 * @param visit is given every event, as it is stored
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
  // An event's time and period come from one clock reading, so the period's events lie within its bounds.
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

/** Items of a counter as each was after all that was committed by now, or before some of what is being committed. */
const readCounter = (store: AccountStore, what: LookedAt): Promise<number> =>
  unitsOf(store, what, (key) => readItem(store, key));

/** The same when no transaction held them: of those that another item has told of, they have every charge. */
const readFreeCounter = (store: AccountStore, what: LookedAt): Promise<number> =>
  unitsOf(store, what, (key) => readFreeItem(store, key));

async function readFreeItem(store: AccountStore, Key: ItemKey): Promise<unknown> {
  const command = new TransactGetCommand({ TransactItems: [{ Get: { TableName: store.tables.gateway, Key } }] });
  const { Responses } = await retryConflicts(() => store.client.send(command), { ...store, deadline: NO_DEADLINE });
  // No answer is no absent counter: the difference that it makes could be repaired.
  if (!Responses?.[0]) throw new StoreUnavailableError('a transaction came back without its item');
  return Responses[0].Item;
}

/**
 * Units used, of the counter and its shards. They are read one after another: within a layout that tells units of between
 * the first reading and the last (`core/quota-shards.ts`), which is all that a look needs; otherwise it is done again.
 */
async function unitsOf(store: AccountStore, what: LookedAt, read: (key: ItemKey) => Promise<unknown>): Promise<number> {
  const [key, ...shardKeys] = counterKeys(what.projectId, what.period.id);
  for (let made = 1; made <= MAX_ATTEMPTS; made++) {
    const item = ((await read(key)) ?? { units: 0 }) as CounterItem;
    // Also those that nothing is lent to any more: what they hold is told as left.
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

/** The same client, which would otherwise refuse numbers that are not exact: here those are found, and told. */
const readingAnyNumber = (client: DynamoDBDocumentClient): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(client, { unmarshallOptions: { wrapNumbers: Number } });
