import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { available, listed } from '../store/client.ts';
import { callOptions, boundsAsText, untilBefore, type TimeSpan } from '../store/items.ts';
import { accountItemKey } from './account-items.ts';
import { auditQuery, auditView, type AuditAction, type AuditEvent } from './audit.ts';
import type { AccountStore } from './account-store.ts';
import type { StoredMember } from './stored-members.ts';

/** The number of events that are read for one filtered page. */
const LOOKED_AT = 1_000;
/** The prefix of a person in the audit (`asPerson`). */
const PERSON = 'user:';

/** An event's position in its account: `<time>#<id>`, which sorts as text in the order of time. */
type Position = string;

/** A filter for an account's audit events. */
export interface AuditFilter {
  readonly span: TimeSpan;
  readonly action?: AuditAction | undefined;
  /** The id of a member; or the actors that are no members. */
  readonly actor?: string | undefined;
  /** Only those before this position. */
  readonly before?: Position | undefined;
  readonly limit: number;
}

/** The result of one read. {@link auditPage} makes a page of it. */
export interface AuditReading {
  readonly found: readonly { readonly position: Position; readonly event: AuditEvent }[];
  /** Everything down to this position was read; undefined: everything. */
  readonly frontier: Position | undefined;
}

/** Reads the newest audit events of an account, in one query that reads a bounded number of them. */
export async function readRecentAudit(
  store: AccountStore,
  accountId: string,
  { span, action, actor, before, limit }: AuditFilter,
): Promise<AuditReading> {
  const bounds = boundsAsText(span);
  const query = new QueryCommand({
    ...auditQuery(store.tables, accountId, { ...bounds, until: untilBefore(bounds, before) }),
    ScanIndexForward: false,
    // The last one of the previous page is read again, and one more shows whether there are more.
    Limit: action === undefined && actor === undefined ? limit + 2 : LOOKED_AT,
  });
  const page = await available(store.client.send(query, callOptions(store)));
  const { LastEvaluatedKey } = page;
  const prefix = accountItemKey.audit(accountId, '').sk.length;
  const positionOf = ({ sk }: Record<string, unknown>): Position => (sk as string).slice(prefix);
  return {
    found: listed(page).map((item) => ({ position: positionOf(item), event: item as unknown as AuditEvent })),
    frontier: LastEvaluatedKey && positionOf(LastEvaluatedKey),
  };
}

/** The actor of a change, for the members of the account: never the actor's id in the audit. */
interface Actor {
  readonly actor: string;
  readonly actorKind: 'member' | 'former' | 'operator';
  /** The present member. */
  readonly actorId: string | null;
}

/** An audit event for the members of its account. */
export type AccountAuditEvent = Omit<ReturnType<typeof auditView>, 'actor' | 'accountId'> & Actor;

/** Makes a page of a read, newest first, for an account with these members. */
export function auditPage(
  { found, frontier }: AuditReading,
  members: readonly StoredMember[],
  { action, actor, before, limit }: AuditFilter,
): { events: AccountAuditEvent[]; next: Position | undefined } {
  const wanted = found
    .filter(({ position, event }) => position !== before && (action === undefined || event.action === action))
    .map(({ position, event }) => ({ position, event: viewOf(event, members) }))
    .filter(({ event: { actorKind, actorId } }) => actor === undefined || actor === (actorId ?? actorKind));
  const page = wanted.slice(0, limit);
  return {
    events: page.map(({ event }) => event),
    next: wanted.length > limit ? page.at(-1)?.position : frontier,
  };
}

function viewOf(event: AuditEvent, members: readonly StoredMember[]): AccountAuditEvent {
  const { at, actor, accountId: _theirs, ...view } = auditView(event);
  return { at, ...actorOf(actor, members), ...view };
}

function actorOf(actor: string, members: readonly StoredMember[]): Actor {
  if (!actor.startsWith(PERSON)) return { actor: 'operator', actorKind: 'operator', actorId: null };
  const userId = actor.slice(PERSON.length);
  const member = members.find((present) => present.status === 'active' && present.userId === userId);
  if (!member) return { actor: 'former member', actorKind: 'former', actorId: null };
  return { actor: member.name ?? member.email ?? 'a member', actorKind: 'member', actorId: member.memberId };
}
