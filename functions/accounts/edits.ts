import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { isoTime } from '../core/clock.ts';
import { audited, NOT_TOLD, type AuditAction, type AuditSubject, type AuditValues } from './audit.ts';
import { commit, ControlPlaneError, whileOvertaken, type Change, type ControlPlane } from './control-plane.ts';
import { readItem } from '../store/items.ts';
import { names, type ItemKey } from '../store/table-items.ts';

type Value = string | number | undefined;

/** A change of attributes of one item. */
export interface Edit<T> {
  readonly key: ItemKey;
  /** What people call the item, such as `Project P`. */
  readonly what: string;
  /** What is said when it is not there. */
  readonly absent: string;
  readonly action: AuditAction;
  readonly subject: (item: T) => AuditSubject;
  /** The new values, by what the item holds now; undefined removes an attribute. Throws to refuse. */
  readonly decide: (item: T) => Readonly<Record<string, Value>>;
  /** Attributes beyond the changed ones that `decide` goes by. */
  readonly reliesOn?: readonly (keyof T & string)[];
  /** Attributes whose values the audit does not tell. */
  readonly personal?: readonly (keyof T & string)[];
}

/**
 * Changes an item and tells of it in one transaction, whose condition is that every value the change was decided by is
 * still there: what the audit says was before, was. Decides again when it was not. Writes nothing where nothing changes.
 * Returns the item as it is then.
 */
export const edit = <T extends object>(plane: ControlPlane, request: Edit<T>): Promise<T> =>
  whileOvertaken(plane, async () => {
    const { key, what, absent, action, subject, decide, reliesOn = [], personal = [] } = request;
    const item = await readItem<T>(plane, key);
    if (!item) throw new ControlPlaneError(absent);
    const seen = item as Readonly<Record<string, Value>>;
    const wanted = Object.entries(decide(item)).filter(([name, value]) => value !== seen[name]);
    if (wanted.length === 0) return item;

    const after = Object.fromEntries(wanted);
    const before = Object.fromEntries(wanted.map(([name]) => [name, seen[name]]));
    const guards = Object.fromEntries(reliesOn.map((name) => [name, seen[name]]));
    await commit(plane, [
      replaceAttributes(plane, { key, what, seen: { ...guards, ...before }, after }),
      await audited(plane, action, subject(item), { before: told(before, personal), after: told(after, personal) }),
    ]);
    return { ...item, ...after };
  });

/** What {@link replaceAttributes} does: `seen` must still hold, and `after` holds then. */
export interface Replacement {
  readonly key: ItemKey;
  readonly what: string;
  readonly seen: Readonly<Record<string, Value>>;
  readonly after: Readonly<Record<string, Value>>;
}

/** Sets and removes attributes of an item that is there, unless those that were seen have changed meanwhile. */
export function replaceAttributes({ tables }: ControlPlane, { key, what, seen, after }: Replacement): Change {
  const set = Object.keys(after).filter((name) => after[name] !== undefined);
  const removed = Object.keys(after).filter((name) => after[name] === undefined);
  const unchanged = Object.entries(seen).map(([name, value]) =>
    value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :seen_${name}`,
  );
  const values: NonNullable<UpdateCommandInput['ExpressionAttributeValues']> = {};
  for (const name of set) values[`:${name}`] = after[name];
  for (const [name, value] of Object.entries(seen)) if (value !== undefined) values[`:seen_${name}`] = value;
  return {
    write: {
      Update: {
        TableName: tables.gateway,
        Key: key,
        UpdateExpression: [
          ...(set.length > 0 ? [`SET ${set.map((name) => `#${name} = :${name}`).join(', ')}`] : []),
          ...(removed.length > 0 ? [`REMOVE ${removed.map((name) => `#${name}`).join(', ')}`] : []),
        ].join(' '),
        // An update would make an item that is not there.
        ConditionExpression: ['attribute_exists(#pk)', ...unchanged].join(' AND '),
        ExpressionAttributeNames: names('pk', ...new Set([...Object.keys(seen), ...Object.keys(after)])),
        ExpressionAttributeValues: values,
      },
    },
    refusal: `${what} was changed meanwhile; try again.`,
    overtakable: true,
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
