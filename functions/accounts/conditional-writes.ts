import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { callOptions, names, writeItem, type ItemKey, type Store } from '../shared/store/items.ts';
import type { Change, StoredItem } from './account-store.ts';
import { StaleError } from './refusals.ts';

/** The possible values of an attribute here; undefined: it is absent. */
export type Value = string | number | boolean | null | undefined;
/** With maps and bytes, which are compared and replaced whole. */
type ValueOrMap = Value | Uint8Array | Readonly<Record<string, unknown>>;

/** An item, and the attributes that were read of it. */
export interface Seen {
  readonly key: ItemKey;
  readonly seen: Readonly<Record<string, ValueOrMap>>;
}

/** The name of a changed item in messages. */
interface Named {
  readonly what: string;
}

/** A replacement: `seen` must be unchanged, and `after` are the new values. */
export interface Replacement extends Seen {
  readonly after: Readonly<Record<string, ValueOrMap>>;
}

/**
 * Sets and removes attributes of an existing item, unless the attributes in `seen` have changed meanwhile. Another
 * refusal can use the present item.
 */
export const replaceAttributes = (store: Store, { what, ...of }: Replacement & Named): Change => ({
  write: { Update: replacing(store, of) },
  refusal: () => new StaleError(what),
});

/** Deletes an item, unless the attributes in `seen` have changed meanwhile. */
export const deleteItem = (store: Store, { what, ...of }: Seen & Named): Change => ({
  write: { Delete: asSeen(store, of) },
  refusal: () => new StaleError(what),
});

/** Requires the attributes in `seen` to be unchanged, as a part of a change of other items. */
export const unchanged = (store: Store, { what, ...of }: Seen & Named): Change => ({
  write: { ConditionCheck: asSeen(store, of) },
  refusal: () => new StaleError(what),
});

/** {@link replaceAttributes} as a single write. It does nothing if the attributes in `seen` have changed meanwhile. */
export async function replaceUnlessStale(store: Store, of: Replacement): Promise<void> {
  await unlessStale(store, () => store.client.send(new UpdateCommand(replacing(store, of)), callOptions(store)));
}

/** {@link deleteItem} as a single write, in the same way. */
export async function deleteUnlessStale(store: Store, of: Seen): Promise<void> {
  await unlessStale(store, () => store.client.send(new DeleteCommand(asSeen(store, of)), callOptions(store)));
}

/**
 * Writes one item, unless its condition fails because another write was first.
 * @returns whether it was written; if not, the present item, if there is one and the write asks for it (`ALL_OLD`)
 */
export async function unlessStale(
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

function replacing(store: Store, { after, ...of }: Replacement): UpdateCommandInput & { UpdateExpression: string } {
  const set = Object.keys(after).filter((name) => after[name] !== undefined);
  const removed = Object.keys(after).filter((name) => after[name] === undefined);
  const { ExpressionAttributeNames, ExpressionAttributeValues, ...condition } = asSeen(store, of);
  const values = { ...ExpressionAttributeValues, ...Object.fromEntries(set.map((name) => [`:${name}`, after[name]])) };
  return {
    ...condition,
    UpdateExpression: [
      ...(set.length > 0 ? [`SET ${set.map((name) => `#${name} = :${name}`).join(', ')}`] : []),
      ...(removed.length > 0 ? [`REMOVE ${removed.map((name) => `#${name}`).join(', ')}`] : []),
    ].join(' '),
    ExpressionAttributeNames: { ...ExpressionAttributeNames, ...names(...Object.keys(after)) },
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  };
}

/** The item, on condition that its attributes are those in `seen`. */
export function asSeen({ tables }: Store, { key, seen }: Seen) {
  const { expression, names: aliases, values } = stillHolds(seen);
  return {
    TableName: tables.gateway,
    Key: key,
    ConditionExpression: expression,
    ExpressionAttributeNames: aliases,
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}

/** The condition that an item exists and has the attributes in `seen`. Without it, an update would create the item. */
export function stillHolds(seen: Seen['seen']) {
  const unchanged = Object.entries(seen).map(([name, value]) =>
    value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :seen_${name}`,
  );
  const known = Object.entries(seen).filter(([, value]) => value !== undefined);
  return {
    expression: ['attribute_exists(#pk)', ...unchanged].join(' AND '),
    names: names('pk', ...Object.keys(seen)),
    values: Object.fromEntries(known.map(([name, value]) => [`:seen_${name}`, value])),
  };
}
