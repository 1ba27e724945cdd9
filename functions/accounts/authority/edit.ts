import { auditChange, audited, type AuditSubject } from './audit.ts';
import type { AuditAction } from '../../shared/audit-actions.ts';
import { changeAs, maySeeAccount, type Authority } from './authority.ts';
import type { Change, AccountStore } from '../store/account-store.ts';
import type { RefusedError } from '../store/refusals.ts';
import type { ItemKey } from '../../shared/store/items.ts';
import { readItem } from '../../shared/store/tables.ts';
import { replaceAttributes } from '../store/writes.ts';
import type { Value } from '../store/expressions.ts';

/** A change of attributes of one item. */
export interface Edit<T> {
  /** The key of the item, looked up for each attempt. */
  readonly key: () => ItemKey | Promise<ItemKey>;
  /** The item's name for people, such as `Project P`. */
  readonly what: string;
  /** The refusal when it does not exist, or not for the caller. */
  readonly absent: () => RefusedError;
  /** The required authority of a person; `member` by default. */
  readonly authority?: Authority;
  readonly action: AuditAction;
  readonly subject: (item: T) => AuditSubject;
  /** The new values, from the present item; undefined removes an attribute. Throws to refuse. */
  readonly decide: (item: T) => Readonly<Record<string, Value>>;
  /** The item as people see it, where a value of it stands in another item; absent: as it is stored. */
  readonly shownAs?: (item: T) => Promise<T>;
  /** Further attributes that `decide` or the answer depends on. */
  readonly dependsOn?: readonly (keyof T & string)[];
  /** The form of changed values in the audit; absent: as they are. */
  readonly audits?: (values: Readonly<Record<string, Value>>) => Readonly<Record<string, Value>>;
  /** Attributes whose values are not in the audit. */
  readonly personal?: readonly (keyof T & string)[];
  /** Further attributes that follow from the changed item and the present one, and are not in the audit. */
  readonly derives?: (changed: T, item: T) => Readonly<Record<string, Value>>;
  /** Further writes of the same change. */
  readonly alsoWrites?: (
    item: T,
    after: Readonly<Record<string, Value>>,
  ) => readonly Change[] | Promise<readonly Change[]>;
}

/**
 * Changes an item and writes its audit event in one transaction. Its condition is that every value that the change
 * depends on is unchanged. So the audit's `before` was the value. Decides again when it is stale. Writes nothing when
 * nothing changes. Returns the changed item.
 */
export const edit = <T extends object>(store: AccountStore, request: Edit<T>): Promise<T> =>
  changeAs(store, request.authority ?? 'member', async () => {
    const { what, absent, action, subject, decide, dependsOn = [], personal = [], derives, alsoWrites } = request;
    const { shownAs = (shown: T) => shown, audits = (values) => values } = request;
    const key = await request.key();
    const stored = await readItem<T>(store, key);
    if (!stored || !maySeeAccount(store, subject(stored).accountId)) throw absent();
    const item = await shownAs(stored);
    const valueOf = (of: T, name: string) => (of as Readonly<Record<string, Value>>)[name];
    const wanted = Object.entries(decide(item)).filter(([name, value]) => value !== valueOf(item, name));
    if (wanted.length === 0) return { result: item, changes: [] };

    const after = Object.fromEntries(wanted);
    const before = Object.fromEntries(wanted.map(([name]) => [name, valueOf(item, name)]));
    const guards = [...dependsOn, ...Object.keys(after)].map((name) => [name, valueOf(stored, name)] as const);
    const changed = { ...item, ...after };
    const replaced = { ...after, ...derives?.(changed, item) };
    const changes = [
      replaceAttributes(store, { key, what, seen: Object.fromEntries(guards), after: replaced }),
      ...((await alsoWrites?.(item, after)) ?? []),
      await audited(store, action, subject(item), auditChange(audits(before), audits(after), personal)),
    ];
    return { result: { ...changed, ...replaced }, changes };
  });
