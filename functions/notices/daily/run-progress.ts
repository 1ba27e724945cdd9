import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { AccountStore } from '../../accounts/account-store.ts';
import { unlessStale } from '../../accounts/conditional-writes.ts';
import { noticeItemKey } from '../../accounts/mail/notice-items.ts';
import { MS_PER_DAY, MS_PER_SECOND } from '../../shared/rules/clock.ts';
import { callOptions, itemsFrom, names, readItem } from '../../shared/store/items.ts';

const KEPT_MS = 4 * MS_PER_DAY;
/** Parts whose ends are in one item. A set of so many numbers is written for one write unit. */
const PARTS_AN_ITEM = 100;

/** How far a day's run is handed out. */
export interface HandedOut {
  /** The last account. An empty text: none yet. */
  readonly after: string;
  /** The number of parts so far. */
  readonly parts: number;
  /** Every account was handed out. */
  readonly isAll?: boolean;
  /** Every part has ended, and it was reported. */
  readonly isComplete?: boolean;
}

const ttl = (store: AccountStore): number => Math.ceil((store.clock.now() + KEPT_MS) / MS_PER_SECOND);

export const readHandedOut = async (store: AccountStore, day: string): Promise<HandedOut> =>
  (await readItem<HandedOut>(store, noticeItemKey.run(day))) ?? { after: '', parts: 0 };

/** Stores how far a run is. False: a run at the same time was faster, and this one must not go on. */
export async function noteHandedOut(
  store: AccountStore,
  day: string,
  before: HandedOut,
  now: HandedOut,
): Promise<boolean> {
  const command = new UpdateCommand({
    TableName: store.tables.gateway,
    Key: noticeItemKey.run(day),
    UpdateExpression: 'SET #after = :after, #parts = :parts, #isAll = :isAll, #isComplete = :isComplete, #ttl = :ttl',
    ConditionExpression: before.parts === 0 ? 'attribute_not_exists(#parts) OR #parts = :before' : '#parts = :before',
    ExpressionAttributeNames: names('after', 'parts', 'isAll', 'isComplete', 'ttl'),
    ExpressionAttributeValues: {
      ':after': now.after,
      ':parts': now.parts,
      ':isAll': now.isAll ?? false,
      ':isComplete': now.isComplete ?? false,
      ':before': before.parts,
      ':ttl': ttl(store),
    },
  });
  return (await unlessStale(store, () => store.client.send(command, callOptions(store)))).isWritten;
}

/** Stores that a part has ended. A repeat changes nothing. */
export async function noteEnded(store: AccountStore, day: string, part: number): Promise<void> {
  const command = new UpdateCommand({
    TableName: store.tables.gateway,
    Key: noticeItemKey.runParts(day, Math.floor(part / PARTS_AN_ITEM)),
    UpdateExpression: 'SET #ttl = :ttl ADD #ended :part',
    ExpressionAttributeNames: names('ended', 'ttl'),
    ExpressionAttributeValues: { ':part': new Set([part]), ':ttl': ttl(store) },
  });
  await unlessStale(store, () => store.client.send(command, callOptions(store)));
}

/** How many parts of a day's run have ended. */
export async function countEnded(store: AccountStore, day: string): Promise<number> {
  let ended = 0;
  for await (const item of itemsFrom(store, noticeItemKey.runParts(day)))
    ended += (item.ended as ReadonlySet<number> | undefined)?.size ?? 0;
  return ended;
}
