import { isoTime } from '../core/clock.ts';
import { accountItemKey } from './account-items.ts';
import { create, type Change, type AccountStore } from './account-store.ts';
import { queryItems } from '../store/client.ts';
import { names, type TableNames } from '../store/table-items.ts';
import { boundsAsText, type TimeSpan } from '../store/items.ts';

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
export const NOT_TOLD = 'changed';

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
