import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { names, type ItemKey } from '../store/items.ts';
import type { Change, AccountStore } from './account-store.ts';
import { StaleError } from './refusals.ts';

/** The possible values of an attribute here; undefined: it is absent. */
export type Value = string | number | boolean | null | undefined;

/** A replacement: `seen` must be unchanged, and `after` are the new values. */
export interface Replacement {
  readonly key: ItemKey;
  readonly what: string;
  readonly seen: Readonly<Record<string, Value>>;
  readonly after: Readonly<Record<string, Value>>;
}

/**
 * Sets and removes attributes of an existing item, unless the seen ones have changed meanwhile. Another refusal can use
 * the present item.
 */
export function replaceAttributes({ tables }: AccountStore, { key, what, seen, after }: Replacement): Change {
  const set = Object.keys(after).filter((name) => after[name] !== undefined);
  const removed = Object.keys(after).filter((name) => after[name] === undefined);
  const condition = unchangedCondition(seen);
  const values: NonNullable<UpdateCommandInput['ExpressionAttributeValues']> = { ...condition.values };
  for (const name of set) values[`:${name}`] = after[name];
  return {
    write: {
      Update: {
        TableName: tables.gateway,
        Key: key,
        UpdateExpression: [
          ...(set.length > 0 ? [`SET ${set.map((name) => `#${name} = :${name}`).join(', ')}`] : []),
          ...(removed.length > 0 ? [`REMOVE ${removed.map((name) => `#${name}`).join(', ')}`] : []),
        ].join(' '),
        ConditionExpression: condition.expression,
        ExpressionAttributeNames: { ...condition.names, ...names(...Object.keys(after)) },
        ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      },
    },
    refusal: () => new StaleError(what),
  };
}

/** Deletes an item, unless the seen attributes have changed meanwhile. */
export function deleteItem(
  { tables }: AccountStore,
  { key, what, seen }: Pick<Replacement, 'key' | 'what' | 'seen'>,
): Change {
  const { expression, names: aliases, values } = unchangedCondition(seen);
  return {
    write: {
      Delete: {
        TableName: tables.gateway,
        Key: key,
        ConditionExpression: expression,
        ExpressionAttributeNames: aliases,
        ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
      },
    },
    refusal: () => new StaleError(what),
  };
}

/** Requires the seen attributes of an item to be unchanged, as a part of a change of others. */
export function unchanged(
  { tables }: AccountStore,
  { key, what, seen }: Pick<Replacement, 'key' | 'what' | 'seen'>,
): Change {
  const { expression, names: aliases, values } = unchangedCondition(seen);
  return {
    write: {
      ConditionCheck: {
        TableName: tables.gateway,
        Key: key,
        ConditionExpression: expression,
        ExpressionAttributeNames: aliases,
        ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
      },
    },
    refusal: () => new StaleError(what),
  };
}

/**
 * The condition that an item exists and its seen attributes are unchanged. Without it, an update would create the item.
 */
function unchangedCondition(seen: Readonly<Record<string, Value>>) {
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
