import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { ItemKey } from '../../shared/store/items.ts';
import { callOptions, writeItem, type Store } from '../../shared/store/tables.ts';
import type { Change, StoredItem } from './account-store.ts';
import { expressionsOf, present, type AnyValue, type Changes, type Conditions } from './expressions.ts';
import { StaleError } from './refusals.ts';

type Tables = Pick<Store, 'tables'>;

/** An update of an item. */
export interface Update extends Changes {
  readonly key: ItemKey;
  /** Absent: in any case. */
  readonly when?: Conditions;
}

/** The item that a failed condition met is in the answer: a refusal can tell by it. */
export const SHOWS_PRESENT = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

/** An update, for a transaction or a command. Without an item of this key it makes one, unless the condition fails. */
export function updateOf({ tables }: Tables, { key, when, ...changes }: Update) {
  const { condition, update, aliases } = expressionsOf(when ? [when] : [], changes);
  return {
    TableName: tables.gateway,
    Key: key,
    UpdateExpression: update,
    ...(condition !== '' && { ConditionExpression: condition }),
    ...aliases,
  };
}

/** A check or a deletion, for a transaction or a command. Of several conditions one must hold. */
export function conditionOf({ tables }: Tables, key: ItemKey, ...when: readonly Conditions[]) {
  const { condition, aliases } = expressionsOf(when);
  return { TableName: tables.gateway, Key: key, ConditionExpression: condition, ...aliases };
}

/** A put, for a transaction or a command. Of several conditions one must hold; without any it is made in any case. */
export function putOf({ tables }: Tables, item: ItemKey & StoredItem, ...when: readonly Conditions[]) {
  const { condition, aliases } = expressionsOf(when);
  return {
    TableName: tables.gateway,
    Item: item,
    ...(condition !== '' && { ConditionExpression: condition }),
    ...aliases,
  };
}

/** No item has this key yet. */
export const NO_ITEM: Conditions = { pk: undefined };

/** An item, and the attributes that were read of it. */
interface Seen {
  readonly key: ItemKey;
  readonly seen: Readonly<Record<string, AnyValue>>;
}

/** The name of a changed item in messages. */
interface Named {
  readonly what: string;
}

/** A replacement: `seen` must be unchanged, and `after` are the new values. */
export interface Replacement extends Seen {
  readonly after: Readonly<Record<string, AnyValue>>;
}

/** The condition that an item exists and is as seen. Without it, an update would create the item. */
export const asSeen = (seen: Seen['seen']): Conditions => ({ pk: present, ...seen });

const replacing = (store: Tables, { key, seen, after }: Replacement) => ({
  ...updateOf(store, { key, when: asSeen(seen), set: after }),
  ...SHOWS_PRESENT,
});

/**
 * Sets and removes attributes of an existing item, unless the attributes in `seen` have changed meanwhile. Another
 * refusal can use the present item.
 */
export const replaceAttributes = (store: Tables, { what, ...of }: Replacement & Named): Change => ({
  write: { Update: replacing(store, of) },
  refusal: () => new StaleError(what),
});

/** Deletes an item, unless the attributes in `seen` have changed meanwhile. */
export const deleteItem = (store: Tables, { what, key, seen }: Seen & Named): Change => ({
  write: { Delete: conditionOf(store, key, asSeen(seen)) },
  refusal: () => new StaleError(what),
});

/** Requires the attributes in `seen` to be unchanged, as a part of a change of other items. */
export const unchanged = (store: Tables, { what, key, seen }: Seen & Named): Change => ({
  write: { ConditionCheck: conditionOf(store, key, asSeen(seen)) },
  refusal: () => new StaleError(what),
});

/** {@link replaceAttributes} as a single write. It does nothing if the attributes in `seen` have changed meanwhile. */
export async function replaceUnlessStale(store: Store, of: Replacement): Promise<void> {
  await unlessStale(store, () => store.client.send(new UpdateCommand(replacing(store, of)), callOptions(store)));
}

/** {@link deleteItem} as a single write, in the same way. */
export async function deleteUnlessStale(store: Store, { key, seen }: Seen): Promise<void> {
  const command = new DeleteCommand(conditionOf(store, key, asSeen(seen)));
  await unlessStale(store, () => store.client.send(command, callOptions(store)));
}

/** An update as a single write. False: its condition failed, and nothing was written. */
export async function updateUnlessStale(store: Store, update: Update): Promise<boolean> {
  const command = new UpdateCommand(updateOf(store, update));
  return (await unlessStale(store, () => store.client.send(command, callOptions(store)))).isWritten;
}

/** A put as a single write. Of several conditions one must hold, else nothing is written; without any it is made. */
export function putUnlessStale(store: Store, item: ItemKey & StoredItem, ...when: readonly Conditions[]) {
  const command = new PutCommand({ ...putOf(store, item, ...when), ...SHOWS_PRESENT });
  return unlessStale(store, () => store.client.send(command, callOptions(store)));
}

/** Deletes an item in any case. Returns what was there; undefined: nothing. */
export async function removeItem(store: Store, key: ItemKey): Promise<StoredItem | undefined> {
  const command = new DeleteCommand({ TableName: store.tables.gateway, Key: key, ReturnValues: 'ALL_OLD' });
  return (await writeItem(store, () => store.client.send(command, callOptions(store)))).Attributes;
}

/**
 * Writes one item, unless its condition fails because another write was first.
 * @returns whether it was written; if not, the present item, if there is one and the write asks for it
 */
async function unlessStale(
  store: Store,
  send: () => Promise<unknown>,
): Promise<{ readonly isWritten: boolean; readonly present?: StoredItem }> {
  try {
    await writeItem(store, send);
    return { isWritten: true };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { isWritten: false, ...(error.Item && { present: unmarshall(error.Item) }) };
  }
}
