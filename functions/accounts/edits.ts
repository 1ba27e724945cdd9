import { isoTime } from '../core/clock.ts';
import { audited, NOT_TOLD, type AuditAction, type AuditSubject, type AuditValues } from './audit.ts';
import { changeAs, isWithin, type Authority } from './callers.ts';
import { replaceAttributes, type Value } from './conditional-writes.ts';
import type { Change, AccountStore } from './account-store.ts';
import type { RefusedError } from './refusals.ts';
import { readItem } from '../store/items.ts';
import type { ItemKey } from '../store/table-items.ts';

/** A change of attributes of one item. */
export interface Edit<T> {
  /** Where it is, looked up for each attempt. */
  readonly key: () => ItemKey | Promise<ItemKey>;
  /** What people call the item, such as `Project P`. */
  readonly what: string;
  /** What is thrown when it is not there, or not for who asks. */
  readonly absent: () => RefusedError;
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
export const edit = <T extends object>(store: AccountStore, request: Edit<T>): Promise<T> =>
  changeAs(store, request.authority ?? 'member', async () => {
    const { what, absent, action, subject, decide, reliesOn = [], personal = [], follows, along } = request;
    const key = await request.key();
    const item = await readItem<T>(store, key);
    if (!item || !isWithin(store, subject(item).accountId)) throw absent();
    const seen = item as Readonly<Record<string, Value>>;
    const wanted = Object.entries(decide(item)).filter(([name, value]) => value !== seen[name]);
    if (wanted.length === 0) return { result: item, changes: [] };

    const after = Object.fromEntries(wanted);
    const before = Object.fromEntries(wanted.map(([name]) => [name, seen[name]]));
    const guards = Object.fromEntries(reliesOn.map((name) => [name, seen[name]]));
    const changed = { ...item, ...after };
    const replaced = { ...after, ...follows?.(changed) };
    const changes = [
      replaceAttributes(store, { key, what, seen: { ...guards, ...before }, after: replaced }),
      ...((await along?.(item, after)) ?? []),
      await audited(store, action, subject(item), { before: told(before, personal), after: told(after, personal) }),
    ];
    return { result: changed, changes };
  });

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
