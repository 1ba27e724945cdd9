import { isoTime } from '../core/clock.ts';
import { accountItemKey } from './account-items.ts';
import { create, changeAs, isWithin, type Authority } from './changes.ts';
import type { Change, AccountStore } from './account-store.ts';
import type { RefusedError } from './refusals.ts';
import { queryItems } from '../store/client.ts';
import { names, boundsAsText, readItem, type TableNames, type TimeSpan, type ItemKey } from '../store/items.ts';
import { replaceAttributes, type Value } from './conditional-writes.ts';

/** What operators and the people of an account can change. */
export const AUDIT_ACTIONS = [
  'account.create',
  'account.update',
  'account.close',
  'project.create',
  'project.update',
  'project.suspend',
  'project.resume',
  'project.close',
  'key.create',
  /** Created again, with another secret: the answer to its creation was lost. */
  'key.reissue',
  'key.update',
  'key.expire',
  'key.revoke',
  'key.rotate',
  /** Invited; `member.join` and `member.decline` are the answers to it. */
  'member.add',
  'member.join',
  'member.decline',
  'member.update',
  'member.remove',
  'member.sign-out',
  /** A counter was brought to the sum of its events. */
  'ledger.repair',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** What was changed: public ids only. */
export interface AuditSubject {
  readonly accountId: string;
  readonly projectId?: string;
  readonly keyId?: string;
  readonly memberId?: string;
}

/** Attributes in the form in which they are shown; null: absent. Never a key, a hash or anything that names a person. */
export type AuditValues = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** Who changed what, and when. Written with the change or not at all, and never changed itself. */
export interface AuditEvent extends AuditSubject {
  readonly at: string;
  readonly actor: string;
  readonly action: AuditAction;
  /** Values of the changed attributes; null: what was changed was not there yet. */
  readonly before: AuditValues | null;
  /** Values of the changed attributes; null: what was changed is no longer there. */
  readonly after: AuditValues | null;
}

/** In place of the old and the new value of an attribute that may name a person: an audit event outlives both. */
const NOT_TOLD = 'changed';

/** The part of a change that tells of it. The values must be conditions of the same change, or they may be untrue. */
export async function audited(
  store: AccountStore,
  action: AuditAction,
  subject: AuditSubject,
  { before, after }: Pick<AuditEvent, 'before' | 'after'>,
): Promise<Change> {
  const at = isoTime(store.clock.now());
  const event: AuditEvent = { at, actor: await store.actor(), action, ...subject, before, after };
  const item = { ...accountItemKey.audit(subject.accountId, `${at}#${store.newId()}`), ...event };
  return { ...create(store, item), proves: true };
}

/** An audit event as it is shown: all its members, in one order whatever order the database gives them in; null: not about such. */
export const auditView = (event: AuditEvent) => ({
  at: event.at,
  actor: event.actor,
  action: event.action,
  accountId: event.accountId,
  projectId: event.projectId ?? null,
  keyId: event.keyId ?? null,
  memberId: event.memberId ?? null,
  before: inOrder(event.before),
  after: inOrder(event.after),
});

const inOrder = (values: AuditValues | null): AuditValues | null =>
  values && Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));

/** The audit events of an account, oldest first, read page by page as they are taken; none for an unknown account. */
export async function* listAudit(
  { client, tables }: AccountStore,
  accountId: string,
  span: TimeSpan = {},
): AsyncGenerator<AuditEvent> {
  const items = queryItems(client, auditQuery(tables, accountId, boundsAsText(span)));
  for await (const { pk, sk, ...event } of items) yield event as unknown as AuditEvent;
}

/** A query for the audit events of an account between two times, as text, or positions, which begin with one. */
export function auditQuery({ gateway }: TableNames, accountId: string, bounds: { since: string; until: string }) {
  const { pk, sk: since } = accountItemKey.audit(accountId, bounds.since);
  const { sk: until } = accountItemKey.audit(accountId, bounds.until);
  return {
    TableName: gateway,
    KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :since AND :until',
    ExpressionAttributeNames: names('pk', 'sk'),
    ExpressionAttributeValues: { ':pk': pk, ':since': since, ':until': until },
    ConsistentRead: true,
  };
}

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
  readonly dependsOn?: readonly (keyof T & string)[];
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
    const { what, absent, action, subject, decide, dependsOn = [], personal = [], follows, along } = request;
    const key = await request.key();
    const item = await readItem<T>(store, key);
    if (!item || !isWithin(store, subject(item).accountId)) throw absent();
    const seen = item as Readonly<Record<string, Value>>;
    const wanted = Object.entries(decide(item)).filter(([name, value]) => value !== seen[name]);
    if (wanted.length === 0) return { result: item, changes: [] };

    const after = Object.fromEntries(wanted);
    const before = Object.fromEntries(wanted.map(([name]) => [name, seen[name]]));
    const guards = Object.fromEntries(dependsOn.map((name) => [name, seen[name]]));
    const changed = { ...item, ...after };
    const replaced = { ...after, ...follows?.(changed) };
    const changes = [
      replaceAttributes(store, { key, what, seen: { ...guards, ...before }, after: replaced }),
      ...((await along?.(item, after)) ?? []),
      await audited(store, action, subject(item), {
        before: auditValues(before, personal),
        after: auditValues(after, personal),
      }),
    ];
    return { result: changed, changes };
  });

/** Attributes as people are told of them. */
export function auditValues(
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
