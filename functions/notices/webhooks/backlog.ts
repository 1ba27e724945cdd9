import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { NO_ITEM, putUnlessStale, SHOWS_PRESENT, updateOf, updateUnlessStale } from '../../accounts/store/writes.ts';
import type { StoredDelivery } from '../../accounts/endpoints/deliveries.ts';
import { absentOr, atMost, present } from '../../accounts/store/expressions.ts';
import { noticeItemKey } from '../../accounts/store/notice-items.ts';
import { MS_PER_MINUTE } from '../../shared/time.ts';
import { randomBase62 } from '../../shared/ids.ts';
import { callOptions, names, readItem, writeItem } from '../../shared/store/tables.ts';

/** The most deliveries of an account that wait (docs/api/webhooks.md, "Answer and retries"). */
export const MAX_WAITING = 200;
/** Beyond these, for tests and repeats: an owner who mends an endpoint tries it. */
const KEPT_FOR_ASKED = 20;
/** Longer than a drain. After that its process has died, and another may drain. */
const LEASE_MS = MS_PER_MINUTE;
const LEASE_ID_LENGTH = 12;

/**
 * What waits to be delivered of an account, in one item of at most 15 kB. Its bound is a condition of each delivery that
 * joins. Whoever has the lease is the only one who takes deliveries out of it.
 */
export interface Backlog {
  /** When each is due, in epoch milliseconds, by `<endpoint id>#<delivery id>`. */
  readonly waiting: Readonly<Record<string, number>>;
  /** Grows when a delivery joins or a message is missed. So no lease is given back before its holder has seen it. */
  readonly joined: number;
  /** The lease: its end and its id. Absent: nobody drains. */
  readonly drainUntilMs?: number;
  readonly drainId?: string;
  /** A message of the queue comes at this time. */
  readonly wakeMs?: number | undefined;
  /** The promised messages, by their times, that have met the present lease. They do not come again. */
  readonly missed?: ReadonlySet<number>;
}

/** Whether somebody drains it now. */
export const isDrained = ({ drainUntilMs = 0 }: Backlog, nowMs: number): boolean => nowMs < drainUntilMs;

/**
 * Deliveries join what waits, in one write, since each write is as large as all that waits. A repeat changes nothing.
 *
 * @returns what waits then. A delivery that is not there found it full
 */
export async function joinBacklog(
  store: AccountStore,
  accountId: string,
  deliveries: readonly StoredDelivery[],
): Promise<Backlog> {
  const key = noticeItemKey.backlog(accountId);
  const most = MAX_WAITING + (deliveries.some(({ isAsked }) => isAsked) ? KEPT_FOR_ASKED : 0);
  const sets = deliveries.map((_, i) => `#waiting.#e${i} = if_not_exists(#waiting.#e${i}, :due${i})`);
  const { isWritten, item } = await written(store, {
    TableName: store.tables.gateway,
    Key: key,
    UpdateExpression: `SET ${sets.join(', ')} ADD #joined :one`,
    ConditionExpression: 'attribute_exists(#waiting) AND size(#waiting) <= :most',
    ExpressionAttributeNames: {
      ...names('waiting', 'joined'),
      ...Object.fromEntries(deliveries.map((delivery, i) => [`#e${i}`, entryOf(delivery)])),
    },
    ExpressionAttributeValues: {
      ...Object.fromEntries(deliveries.map(({ at, nextAttemptMs = Date.parse(at) }, i) => [`:due${i}`, nextAttemptMs])),
      ':one': 1,
      ':most': most - deliveries.length,
    },
  });
  if (isWritten && item) return item;
  if (!item) {
    await putUnlessStale(store, { ...key, waiting: {}, joined: 0 }, NO_ITEM);
    return joinBacklog(store, accountId, deliveries);
  }
  // It is too full for all of them, or they are there already.
  const fresh = deliveries.filter((delivery) => !(entryOf(delivery) in item.waiting));
  const some = fresh.slice(0, Math.max(0, most - Object.keys(item.waiting).length));
  return some.length > 0 ? joinBacklog(store, accountId, some) : item;
}

/** The name of a delivery among those that wait. */
export const entryOf = ({ endpointId, deliveryId }: Pick<StoredDelivery, 'endpointId' | 'deliveryId'>): string =>
  `${endpointId}#${deliveryId}`;

/**
 * Takes the lease for a message. Undefined: another has it, or nothing ever waited. A holder may rely on a message that
 * was promised, so it learns that it came.
 */
export async function leaseBacklog(
  store: AccountStore,
  accountId: string,
  promisedMs?: number,
): Promise<Backlog | undefined> {
  const nowMs = store.clock.now();
  const drainId = randomBase62(LEASE_ID_LENGTH, store.randomBytes);
  const { isWritten, item } = await written(
    store,
    updateOf(store, {
      key: noticeItemKey.backlog(accountId),
      when: { pk: present, drainUntilMs: absentOr(atMost(nowMs)) },
      set: { drainUntilMs: nowMs + LEASE_MS, drainId },
    }),
  );
  // An attempt whose answer was lost has taken it.
  if (isWritten || item?.drainId === drainId) return item;
  if (!item || promisedMs === undefined) return undefined;
  const isNoted = await updateUnlessStale(store, {
    key: noticeItemKey.backlog(accountId),
    when: { drainId: item.drainId },
    add: { joined: 1, missed: new Set([promisedMs]) },
  });
  // Else it was given back meanwhile.
  return isNoted ? undefined : leaseBacklog(store, accountId, promisedMs);
}

/**
 * Gives the lease back and stores what still waits. False: a delivery has joined meanwhile, or the lease was taken over.
 */
export const releaseBacklog = (
  store: AccountStore,
  accountId: string,
  { drainId, joined, waiting, wakeMs }: Backlog,
): Promise<boolean> =>
  updateUnlessStale(store, {
    key: noticeItemKey.backlog(accountId),
    when: { drainId, joined },
    set: { waiting, wakeMs, drainUntilMs: undefined, drainId: undefined, missed: undefined },
  });

/** Gives the lease of a drain that failed back, and leaves the rest as it was. */
export async function giveUpLease(store: AccountStore, accountId: string, { drainId }: Backlog): Promise<void> {
  await updateUnlessStale(store, {
    key: noticeItemKey.backlog(accountId),
    when: { drainId },
    set: { drainUntilMs: undefined, drainId: undefined },
  });
}

/** What waits of an account now. */
export const readBacklog = (store: AccountStore, accountId: string): Promise<Backlog | undefined> =>
  readItem<Backlog>(store, noticeItemKey.backlog(accountId));

/** Updates the item, and returns it as it is then; or as it is, where the condition fails. */
async function written(
  store: AccountStore,
  update: UpdateCommandInput,
): Promise<{ readonly isWritten: boolean; readonly item: Backlog | undefined }> {
  const command = new UpdateCommand({ ...update, ...SHOWS_PRESENT, ReturnValues: 'ALL_NEW' });
  try {
    const { Attributes } = await writeItem(store, () => store.client.send(command, callOptions(store)));
    return { isWritten: true, item: Attributes as Backlog | undefined };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { isWritten: false, item: error.Item && (unmarshall(error.Item) as Backlog) };
  }
}
