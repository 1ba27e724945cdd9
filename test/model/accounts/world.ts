/**
 * The reference model of accounts: what docs/using-the-portal.md, docs/architecture.md ("The portal") and
 * portal/openapi.yaml say about people, sessions, teams, projects, keys and limits, as plain code over plain values. It
 * shares no rule with `functions/`, on purpose.
 */

/** The limits of these worlds, which are so small that sequences reach them. */
export const LIMITS = {
  accountsPerPerson: 2,
  projectsPerAccount: 2,
  projectsPerPeriod: 3,
  activeKeysPerProject: 2,
  membersPerAccount: 3,
  invitationsPerAddress: 2,
  changesPerMinute: 8,
  readsPerMinute: 3,
  signInsPerMinute: 3,
} as const;

const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
/** The longest times of a session: without a request, and in all. */
export const IDLE_MS = 2 * HOUR_MS;
export const ABSOLUTE_MS = 3 * HOUR_MS;
/** How exact the time of a session's last request is. */
export const SEEN_MS = 10 * MINUTE_MS;
export const INVITATION_MS = 14 * DAY_MS;
/** How long the creation of a key can be repeated under its Idempotency-Key. */
export const REISSUE_MS = 10 * MINUTE_MS;
/** How long the count of created accounts is kept after a person was deleted. */
export const REMAINDER_MS = 90 * DAY_MS;
/** How long keys that have ended are shown. */
export const ENDED_SHOWN_MS = 90 * DAY_MS;

export type Role = 'owner' | 'member';

/** The state after some commands, as plain values that can be copied. Ids are those of the real portal. */
export interface World {
  nowMs: number;
  people: Person[];
  /** The stored sessions, valid or not. */
  sessions: Session[];
  /** The session cookie of each browser; empty: none. */
  readonly cookies: Record<number, string>;
  readonly accounts: Account[];
  readonly projects: Project[];
  readonly keys: Key[];
  /** The number of projects made, by account and month. */
  readonly projectsMade: Record<string, number>;
  /** The number of invitations, by day, by the provider's name of the inviter, and by address. */
  readonly invited: Record<string, number>;
  /** The invitations in the list of each address, also those to closed accounts. */
  listings: Listing[];
  /** Ids by person, purpose and Idempotency-Key, with the request. */
  readonly made: Record<string, { readonly id: string; readonly input: string }>;
  /** Counts of changes, reads and sign-ins, by kind, minute and the provider's name of the person. */
  readonly counts: Record<string, number>;
  /** What is left of deleted people, by the provider's name of them. */
  readonly remainders: Record<string, { readonly accountsCreated: number; readonly untilMs: number } | undefined>;
}

export const emptyWorld = (nowMs: number): World => ({
  ...{ nowMs, people: [], sessions: [], cookies: {}, accounts: [], projects: [], keys: [], made: {} },
  ...{ counts: {}, remainders: {}, projectsMade: {}, invited: {}, listings: [] },
});

export interface Person {
  readonly userId: string;
  /** The provider's name of the person. */
  readonly subject: string;
  email: string | undefined;
  verified: boolean;
  name: string | undefined;
  readonly createdAtMs: number;
  signedInAtMs: number;
  sessionsSinceMs: number | undefined;
  accountsCreated: number;
  accountsJoined: number;
}

export interface Session {
  readonly userId: string;
  readonly token: string;
  /** The id is known once a list has shown it. */
  sessionId: string | undefined;
  readonly createdAtMs: number;
  lastSeenAtMs: number;
  readonly sessionsSinceMs: number | undefined;
}

export interface Account {
  readonly accountId: string;
  name: string;
  email: string | null;
  readonly createdAtMs: number;
  closedAtMs: number | undefined;
  /** For a closed account: what it held at its end. */
  counts: Record<string, number> | undefined;
  members: Member[];
  readonly audit: Audit[];
}

export interface Member {
  readonly memberId: string;
  email: string | null;
  name: string | undefined;
  role: Role;
  /** For an active member. */
  userId: string | undefined;
  readonly createdAtMs: number;
  /** For an invited member. */
  invitation: Invitation | undefined;
}

export interface Invitation {
  /** In lower case. */
  readonly address: string;
  readonly invitedBy: string;
  readonly invitedByKind: 'person' | 'operator';
  readonly inviterId?: string;
  readonly expiresAtMs: number;
}

interface Listing extends Invitation {
  readonly accountId: string;
  readonly memberId: string;
}

interface Audit {
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly projectId?: string;
  readonly keyId?: string;
  readonly memberId?: string;
  readonly userId?: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface Project {
  readonly projectId: string;
  readonly accountId: string;
  name: string;
  status: 'active' | 'suspended' | 'closed';
  readonly createdAtMs: number;
  /** Closed itself, and not with its account. */
  closedAtMs: number | undefined;
  /** Units by month. */
  readonly used: Record<string, number>;
  /** Units that were charged under the caps of keys, by month and cap. */
  readonly usedOfCaps: Record<string, number>;
  readonly events: Event[];
}

interface Event {
  readonly requestId: string;
  readonly keyId: string;
  readonly code: string | null;
  readonly occurredAtMs: number;
}

export interface Key {
  readonly keyId: string;
  readonly projectId: string;
  /** The whole key. */
  secret: string;
  /** Its earlier secrets, which nobody has seen. */
  readonly unseen: string[];
  name: string | undefined;
  readonly createdAtMs: number;
  readonly lifetimeMs: number | undefined;
  expiresAtMs: number | undefined;
  revokedAtMs: number | undefined;
  replacedBy: string | undefined;
  /** The time of its own rotation. */
  replacedAtMs: number | undefined;
  /** The key whose rotation made it. */
  readonly replaces: string | undefined;
  /** Units that it may spend in a month; undefined: no cap. */
  unitsLimit: number | undefined;
  /** The key of its rotations that first had a cap. */
  capId: string | undefined;
  /** The minute of its last admitted request, numbered from the epoch, and the count in it. */
  window: { minute: number; count: number } | undefined;
}

export const iso = (ms: number): string => new Date(ms).toISOString();
export const isoOrNull = (ms: number | undefined): string | null => (ms === undefined ? null : iso(ms));
export const minuteOf = (ms: number): number => Math.floor(ms / MINUTE_MS);
export const dayOf = (ms: number): string => iso(ms).slice(0, 10);
export const monthOf = (ms: number): string => iso(ms).slice(0, 7);
export const folded = (email: string): string =>
  email.replaceAll(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32));
export const byId = <T>(id: (thing: T) => string) => {
  return (one: T, other: T): number => (id(one) < id(other) ? -1 : 1);
};

/** Whether a session is valid. */
export function holds(world: World, session: Session): boolean {
  const person = world.people.find(({ userId }) => userId === session.userId);
  return (
    person !== undefined &&
    person.sessionsSinceMs === session.sessionsSinceMs &&
    world.nowMs < session.createdAtMs + ABSOLUTE_MS &&
    world.nowMs < session.lastSeenAtMs + IDLE_MS
  );
}

export const isOver = ({ revokedAtMs, expiresAtMs = Infinity }: Key, nowMs: number): boolean =>
  revokedAtMs !== undefined || nowMs >= expiresAtMs;
/** Whether a key has neither ended nor been replaced. */
export const isActive = (key: Key, nowMs: number): boolean => !isOver(key, nowMs) && key.replacedBy === undefined;
/** Whether the limit counts a key: a current one, or one in its grace whose successor has ended. */
export const activeKeys = ({ keys, nowMs }: World, projectId: string): Key[] =>
  keys.filter(
    (key) =>
      key.projectId === projectId &&
      !isOver(key, nowMs) &&
      (key.replacedBy === undefined ||
        keys.some(({ keyId, revokedAtMs }) => keyId === key.replacedBy && revokedAtMs !== undefined)),
  );
export const activeOwners = ({ members }: Account): Member[] =>
  members.filter(({ userId, role }) => userId !== undefined && role === 'owner');
export const openProjects = (world: World, account: Account): Project[] =>
  world.projects.filter(({ accountId, status }) => accountId === account.accountId && status !== 'closed');
export const isInvitationAlive = ({ invitation }: Member, nowMs: number): boolean =>
  invitation !== undefined && nowMs < invitation.expiresAtMs;
