import { REPORT_ACTOR } from '../authority/audit.ts';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { available, listed } from '../../shared/store/client.ts';
import { boundsAsText, untilBefore, type TimeSpan } from '../../shared/store/items.ts';
import { callOptions, readBatches } from '../../shared/store/tables.ts';
import type { AuditAction } from '../../shared/audit-actions.ts';
import { AUDIT_PREFIX, accountItemKey } from '../store/account-items.ts';
import { auditBetween, auditView, type AuditEvent } from '../authority/audit.ts';
import type { AccountStore } from '../store/account-store.ts';
import type { StoredMember } from '../team/stored-members.ts';
import type { StoredUser } from '../people/users.ts';

/** The number of events that are read for one filtered page. */
const LOOKED_AT = 1_000;
/** The number of former members whose profiles one answer reads. Further ones have no name. */
const MAX_PROFILES = 500;
/** The prefix of a person in the audit (`asPerson`). */
const PERSON = 'user:';
/** The prefix of a management token (`functions/portal/serve/token-authority.ts`). */
const TOKEN = 'token:';

/** An event's position in its account: `<time>#<id>`, which sorts as text in the order of time. */
export type Position = string;

/** A filter for an account's audit events. */
export interface AuditFilter {
  readonly span: TimeSpan;
  readonly action?: AuditAction | undefined;
  /** The id of a member or a token; or the actors that are neither. */
  readonly actor?: string | undefined;
  /** Only events before this position. */
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
    ...auditBetween(store.tables, accountId, { ...bounds, until: untilBefore(bounds, before) }),
    ScanIndexForward: false,
    // The last one of the previous page is read again, and one more shows whether there are more.
    Limit: action === undefined && actor === undefined ? limit + 2 : LOOKED_AT,
  });
  const page = await available(store.client.send(query, callOptions(store)));
  const { LastEvaluatedKey } = page;
  const positionOf = ({ sk }: Record<string, unknown>): Position => (sk as string).slice(AUDIT_PREFIX.length);
  return {
    found: listed(page).map((item) => ({ position: positionOf(item), event: item as unknown as AuditEvent })),
    frontier: LastEvaluatedKey && positionOf(LastEvaluatedKey),
  };
}

/** Some events, newest first, with their positions. */
interface AuditPage {
  readonly events: readonly AuditEvent[];
  readonly positions: readonly Position[];
  /** The position before which there may be more; undefined: there are none. */
  readonly next: Position | undefined;
}

/** Makes a page of a read, newest first, for an account with these members. */
export function auditPage(
  { found, frontier }: AuditReading,
  members: readonly StoredMember[],
  { action, actor, before, limit }: AuditFilter,
): AuditPage {
  const active = activeBy(members);
  const wanted = found.filter(({ position, event }) => {
    if (position === before || (action !== undefined && event.action !== action)) return false;
    if (actor === undefined) return true;
    const userId = personOf(event);
    const tokenId = tokenOf(event);
    if (tokenId !== undefined) return actor === tokenId;
    return actor === (userId === undefined ? 'operator' : (active.get(userId)?.memberId ?? 'former'));
  });
  const page = wanted.slice(0, limit);
  return {
    events: page.map(({ event }) => event),
    positions: page.map(({ position }) => position),
    next: wanted.length > limit ? page.at(-1)?.position : frontier,
  };
}

/** The actor of a change, and the member that was changed, for the members of the account: never an id of the audit. */
interface People {
  readonly actor: string;
  /** Null: none is known, or the provider has not verified it. */
  readonly actorEmail: string | null;
  readonly actorKind: 'member' | 'former' | 'operator' | 'token' | 'report';
  /** The present member, or the token. */
  readonly actorId: string | null;
  /** Null: no member was changed, or nothing is known of that person. */
  readonly memberName: string | null;
  readonly memberEmail: string | null;
}

/** An audit event for the members of its account. */
export type AccountAuditEvent = Omit<ReturnType<typeof auditView>, 'actor' | 'actorName' | 'accountId' | 'userId'> &
  People;

/**
 * Adds the names of people to events: of members from the account, of former members from their profiles, if these
 * exist. Names are read now and stored nowhere else, so they end with the profile. The result reads each profile once,
 * and those of one call in one round trip.
 */
export function peopleOf(
  store: AccountStore,
  members: readonly StoredMember[],
): (events: readonly AuditEvent[]) => Promise<AccountAuditEvent[]> {
  const present = new Map(members.map((member) => [member.memberId, member]));
  const active = activeBy(members);
  const profiles = new Map<string, Profile>();
  const profileOf = (userId = ''): Profile | undefined => active.get(userId) ?? profiles.get(userId);
  return async (events) => {
    const asked = events.flatMap((event) => [personOf(event), subjectOf(event)]);
    const unknown = new Set(asked.filter((userId) => userId !== undefined && !profileOf(userId)) as string[]);
    await readProfiles(store, [...unknown].slice(0, Math.max(0, MAX_PROFILES - profiles.size)), profiles);
    return events.map((event): AccountAuditEvent => {
      const {
        at,
        actor: _actor,
        actorName: _name,
        accountId: _account,
        userId: _user,
        memberId,
        before,
        after,
        ...view
      } = auditView(event);
      const { actor, ...of } = event.actor === REPORT_ACTOR ? BY_REPORT : actorOf(event, active, profileOf);
      const member = memberId === null ? undefined : (present.get(memberId) ?? profileOf(subjectOf(event)));
      const named = { memberId, memberName: nameOf(member), memberEmail: member?.email ?? null };
      return { at, actor, ...of, ...view, ...named, before, after };
    });
  };
}

type Profile = Pick<StoredMember, 'name' | 'email'>;

async function readProfiles(
  store: AccountStore,
  userIds: readonly string[],
  profiles: Map<string, Profile>,
): Promise<void> {
  const users = await readBatches<StoredUser>(store, userIds.map(accountItemKey.user));
  for (const [i, userId] of userIds.entries()) {
    const { name, email, emailVerified } = users[i] ?? {};
    // An unverified address may belong to another person.
    profiles.set(userId, { ...(name !== undefined && { name }), email: (emailVerified ? email : null) ?? null });
  }
}

const personOf = ({ actor }: AuditEvent): string | undefined =>
  actor.startsWith(PERSON) ? actor.slice(PERSON.length) : undefined;

/** Who made a change, without a name: members are those who were, too. */
export function kindOf(event: AuditEvent): 'member' | 'operator' | 'token' | 'report' {
  if (event.actor === REPORT_ACTOR) return 'report';
  if (tokenOf(event) !== undefined) return 'token';
  return personOf(event) === undefined ? 'operator' : 'member';
}

const tokenOf = ({ actor }: AuditEvent): string | undefined =>
  actor.startsWith(TOKEN) ? actor.slice(TOKEN.length) : undefined;

/** Changes that a member makes to their own membership. */
const BY_ITSELF: ReadonlySet<AuditAction> = new Set(['account.create', 'member.join', 'member.leave'] as const);

/** The person whose membership an event changes. Undefined: the event does not say. */
const subjectOf = (event: AuditEvent): string | undefined =>
  event.userId ?? (BY_ITSELF.has(event.action) ? personOf(event) : undefined);

/** The active members by person. */
const activeBy = (members: readonly StoredMember[]): ReadonlyMap<string | undefined, StoredMember> =>
  new Map(members.filter(({ status }) => status === 'active').map((member) => [member.userId, member]));

const nameOf = (profile: Profile | undefined): string | null => profile?.name ?? profile?.email ?? null;

const BY_REPORT = { actor: REPORT_ACTOR, actorEmail: null, actorKind: 'report', actorId: null } as const;

function actorOf(
  event: AuditEvent,
  active: ReturnType<typeof activeBy>,
  profileOf: (userId: string) => Profile | undefined,
): Pick<People, 'actor' | 'actorEmail' | 'actorKind' | 'actorId'> {
  const tokenId = tokenOf(event);
  if (tokenId !== undefined) {
    return { actor: event.actorName ?? 'token', actorEmail: null, actorKind: 'token', actorId: tokenId };
  }
  const userId = personOf(event);
  if (userId === undefined) return { actor: 'operator', actorEmail: null, actorKind: 'operator', actorId: null };
  const member = active.get(userId);
  const profile = profileOf(userId);
  return {
    actor: nameOf(profile) ?? (member ? 'a member' : 'former member'),
    actorEmail: profile?.email ?? null,
    actorKind: member ? 'member' : 'former',
    actorId: member?.memberId ?? null,
  };
}
