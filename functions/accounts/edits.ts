import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { isoTime } from '../core/clock.ts';
import { audited, NOT_TOLD, type AuditAction, type AuditSubject, type AuditValues } from './audit.ts';
import { changeAs, isWithin, type Authority } from './callers.ts';
import type { Change, ControlPlane } from './control-plane.ts';
import { OvertakenError, type ControlPlaneError } from './refusals.ts';
import { readItem } from '../store/items.ts';
import { names, type ItemKey } from '../store/table-items.ts';

type Value = string | number | boolean | null | undefined;

/** A change of attributes of one item. */
export interface Edit<T> {
  /** Where it is, looked up for each attempt. */
  readonly key: () => ItemKey | Promise<ItemKey>;
  /** What people call the item, such as `Project P`. */
  readonly what: string;
  /** What is thrown when it is not there, or not for who asks. */
  readonly absent: () => ControlPlaneError;
  /** What a person must be to do it; `member` unless told. */
  readonly authority?: Authority;
  readonly action: AuditAction;
  readonly subject: (item: T) => AuditSubject;
  /** The new values, by what the item holds now; undefined removes an attribute. Throws to refuse. */
  readonly decide: (item: T) => Readonly<Record<string, Value>>;
  /** Attributes beyond the changed ones that `decide` goes by, or that whoever asks is told. */
  readonly reliesOn?: readonly (keyof T & string)[];
  /** Attributes whose values the audit does not tell. */
  readonly personal?: readonly (keyof T & string)[];
  /** Further attributes that follow from the item as it is then, and that the audit does not tell. */
  readonly follows?: (changed: T) => Readonly<Record<string, Value>>;
  /** What is written with it elsewhere. */
  readonly along?: (item: T, after: Readonly<Record<string, Value>>) => readonly Change[] | Promise<readonly Change[]>;
}

/**
 * Changes an item and tells of it in one transaction, whose condition is that every value the change was decided by is
 * still there: what the audit says was before, was. Decides again when it was not. Writes nothing where nothing changes.
 * Returns the item as it is then.
 */
export const edit = <T extends object>(plane: ControlPlane, request: Edit<T>): Promise<T> =>
  changeAs(plane, request.authority ?? 'member', async () => {
    const { what, absent, action, subject, decide, reliesOn = [], personal = [], follows, along } = request;
    const key = await request.key();
    const item = await readItem<T>(plane, key);
    if (!item || !isWithin(plane, subject(item).accountId)) throw absent();
    const seen = item as Readonly<Record<string, Value>>;
    const wanted = Object.entries(decide(item)).filter(([name, value]) => value !== seen[name]);
    if (wanted.length === 0) return { result: item, changes: [] };

    const after = Object.fromEntries(wanted);
    const before = Object.fromEntries(wanted.map(([name]) => [name, seen[name]]));
    const guards = Object.fromEntries(reliesOn.map((name) => [name, seen[name]]));
    const changed = { ...item, ...after };
    const replaced = { ...after, ...follows?.(changed) };
    const changes = [
      replaceAttributes(plane, { key, what, seen: { ...guards, ...before }, after: replaced }),
      ...((await along?.(item, after)) ?? []),
      await audited(plane, action, subject(item), { before: told(before, personal), after: told(after, personal) }),
    ];
    return { result: changed, changes };
  });

/** What {@link replaceAttributes} does: `seen` must still hold, and `after` holds then. */
export interface Replacement {
  readonly key: ItemKey;
  readonly what: string;
  readonly seen: Readonly<Record<string, Value>>;
  readonly after: Readonly<Record<string, Value>>;
}

/**
 * Sets and removes attributes of an item that is there, unless those that were seen have changed meanwhile: then whoever
 * tells the refusal otherwise gets the item as it stands.
 */
export function replaceAttributes({ tables }: ControlPlane, { key, what, seen, after }: Replacement): Change {
  const set = Object.keys(after).filter((name) => after[name] !== undefined);
  const removed = Object.keys(after).filter((name) => after[name] === undefined);
  const condition = stillHolds(seen);
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
    refusal: () => new OvertakenError(what),
  };
}

/** Deletes an item, unless what was seen of it has changed meanwhile. */
export function deleteItem(
  { tables }: ControlPlane,
  { key, what, seen }: Pick<Replacement, 'key' | 'what' | 'seen'>,
): Change {
  const { expression, names: aliases, values } = stillHolds(seen);
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
    refusal: () => new OvertakenError(what),
  };
}

/** Requires an item to hold what was seen of it, as a part of a change of others. */
export function unchanged(
  { tables }: ControlPlane,
  { key, what, seen }: Pick<Replacement, 'key' | 'what' | 'seen'>,
): Change {
  const { expression, names: aliases, values } = stillHolds(seen);
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
    refusal: () => new OvertakenError(what),
  };
}

/** The condition that an item is there and holds what was seen. An update would make an item that is not there. */
function stillHolds(seen: Readonly<Record<string, Value>>) {
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

/** Attributes as people are told of them. */
export function told(
  attributes: Readonly<Record<string, Value | ReadonlySet<string>>>,
  personal: readonly string[] = [],
): AuditValues {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => {
      if (personal.includes(name)) return [name, NOT_TOLD];
      if (name === 'expiresAtMs') return ['expiresAt', value === undefined ? null : isoTime(value as number)];
      return [name, value instanceof Set ? [...(value as Set<string>)] : ((value as Value) ?? null)];
    }),
  );
}
