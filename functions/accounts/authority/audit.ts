import type { AuditAction } from '../../shared/audit-actions.ts';
import { isoTime } from '../../shared/time.ts';
import { accountItemKey } from '../store/account-items.ts';
import { create } from '../store/transact.ts';
import type { Change, AccountStore } from '../store/account-store.ts';
import { queryItems } from '../../shared/store/client.ts';
import { boundsAsText, type ItemKey, type TimeSpan } from '../../shared/store/items.ts';
import { queryOf, type TableNames } from '../../shared/store/tables.ts';
import type { Value } from '../store/expressions.ts';

/** The actor of what a report changes, in the audit. */
export const REPORT_ACTOR = 'report';

/** The changed object: public ids only. */
export interface AuditSubject {
  readonly accountId: string;
  readonly projectId?: string;
  readonly keyId?: string;
  readonly memberId?: string;
  readonly endpointId?: string;
  readonly tokenId?: string;
  /**
   * The person who is or was this member, if somebody else made the change. Names are read from the profile when the
   * event is shown, and are never in the event (docs/decisions.md, "Keys and accounts").
   */
  readonly userId?: string;
}

/** Attributes in the form for display; null: absent. Never a key, a hash or personal data. */
export type AuditValues = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** Who changed what, and when. It is written with the change or not at all, and never changed. */
export interface AuditEvent extends AuditSubject {
  readonly at: string;
  /** `user:<id>`, `token:<id>`, or a person of the platform team. */
  readonly actor: string;
  /** The name of a token that made the change. Owners chose it, and it ends with no profile. */
  readonly actorName?: string;
  readonly action: AuditAction;
  /** Values of the changed attributes; null: the object did not exist before. */
  readonly before: AuditValues | null;
  /** Values of the changed attributes; null: the object no longer exists. */
  readonly after: AuditValues | null;
}

/** Replaces the old and the new value of an attribute that may name a person, because audit events are kept longer. */
const REDACTED = 'changed';

/** The audit event of a change. The values must be conditions of the same change, or they may be wrong. */
export async function audited(
  store: AccountStore,
  action: AuditAction,
  subject: AuditSubject,
  { before, after }: Pick<AuditEvent, 'before' | 'after'>,
): Promise<Change> {
  const at = isoTime(store.clock.now());
  const { token } = store.caller ?? {};
  const by = { actor: await store.actor(), ...(token && { actorName: token.name }) };
  const event: AuditEvent = { at, ...by, action, ...subject, before, after };
  const item = { ...accountItemKey.audit(subject.accountId, `${at}#${store.newId()}`), ...event };
  return { ...create(store, item), provesCommit: true };
}

/** An audit event for display: all its members, in a fixed order; null: it has no such member. */
export const auditView = (event: AuditEvent) => ({
  at: event.at,
  actor: event.actor,
  actorName: event.actorName ?? null,
  action: event.action,
  accountId: event.accountId,
  projectId: event.projectId ?? null,
  keyId: event.keyId ?? null,
  memberId: event.memberId ?? null,
  endpointId: event.endpointId ?? null,
  tokenId: event.tokenId ?? null,
  userId: event.userId ?? null,
  before: inOrder(event.before),
  after: inOrder(event.after),
});

const inOrder = (values: AuditValues | null): AuditValues | null =>
  values && Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));

/**
 * The audit events of an account, oldest first; none for an unknown account. The next page is read when the iteration
 * needs it.
 */
export async function* listAudit(
  { client, tables }: AccountStore,
  accountId: string,
  span: TimeSpan = {},
): AsyncGenerator<AuditEvent> {
  const items = queryItems<ItemKey & AuditEvent>(client, auditBetween(tables, accountId, boundsAsText(span)));
  for await (const { pk, sk, ...event } of items) yield event;
}

/**
 * A query for the audit events of an account between two times, as text, or between positions, which begin with a time.
 */
export function auditBetween({ gateway }: TableNames, accountId: string, bounds: { since: string; until: string }) {
  const { pk, sk: since } = accountItemKey.audit(accountId, bounds.since);
  const { sk: until } = accountItemKey.audit(accountId, bounds.until);
  return queryOf(gateway, pk, { since, until });
}

/** What a change replaced and by what, in the form of audit events; without values that stay. */
export function auditChange(
  before: Readonly<Record<string, Value>>,
  after: Readonly<Record<string, Value>>,
  personal?: readonly string[],
): Pick<AuditEvent, 'before' | 'after'> {
  const changed = (values: typeof before) =>
    Object.fromEntries(Object.entries(values).filter(([name]) => before[name] !== after[name]));
  return { before: auditValues(changed(before), personal), after: auditValues(changed(after), personal) };
}

/** Attributes in the form of audit events. */
export function auditValues(
  attributes: Readonly<Record<string, Value | ReadonlySet<string>>>,
  personal: readonly string[] = [],
): AuditValues {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => {
      if (personal.includes(name)) return [name, REDACTED];
      if (name === 'expiresAtMs') return ['expiresAt', value === undefined ? null : isoTime(value as number)];
      return [name, value instanceof Set ? [...(value as Set<string>)] : ((value as Value) ?? null)];
    }),
  );
}
