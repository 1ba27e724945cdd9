/**
 * The reference model of accounts: what docs/using-the-portal.md, docs/architecture.md ("The portal") and
 * portal/openapi.yaml say of people, sessions, teams, projects, keys and limits, as plain code over plain values. It
 * shares no rule with `functions/`, on purpose.
 */

/** Limits of these worlds, so small that sequences reach them. */
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
/** Of a session: without a request, and in all. */
export const IDLE_MS = 2 * HOUR_MS;
export const ABSOLUTE_MS = 3 * HOUR_MS;
/** How exact the time of a session's last request is. */
export const SEEN_MS = 10 * MINUTE_MS;
export const INVITATION_MS = 14 * DAY_MS;
/** How long the answer of a key's creation can be asked for again. */
export const REISSUE_MS = 10 * MINUTE_MS;
/** How long it is kept of who is no more how many accounts they created. */
export const REMAINDER_MS = 90 * DAY_MS;
/** How long keys that have ended are shown. */
export const ENDED_SHOWN_MS = 90 * DAY_MS;

export type Role = 'owner' | 'member';

/** Everything that is, after some commands: plain values, so that it can be copied. Ids are those of the real portal. */
export interface World {
  nowMs: number;
  people: Person[];
  /** Those that are stored, whether they hold or not. */
  sessions: Session[];
  /** What each browser holds as its session's cookie; empty: none. */
  readonly cookies: Record<number, string>;
  readonly accounts: Account[];
  readonly projects: Project[];
  readonly keys: Key[];
  /** How many projects people have made, by account and month. */
  readonly projectsMade: Record<string, number>;
  /** How often people have invited an address, by day, the provider's name of the person and address. */
  readonly invited: Record<string, number>;
  /** Invitations as they are listed at their addresses: those to accounts that were closed, too. */
  listings: Listing[];
  /** Ids by person, purpose and Idempotency-Key, with what was asked for. */
  readonly made: Record<string, { readonly id: string; readonly input: string }>;
  /** Changes, reads and sign-ins, by kind, minute and the provider's name of the person, who may have come anew since. */
  readonly counts: Record<string, number>;
  /** What is left of people who are no more, by the provider's name of them. */
  readonly remainders: Record<string, { readonly accountsCreated: number; readonly untilMs: number } | undefined>;
}

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
  /** Known since it was in a list. */
  sessionId: string | undefined;
  readonly createdAtMs: number;
  lastSeenAtMs: number;
  readonly sessionsSinceMs: number | undefined;
}

export interface Account {
  readonly accountId: string;
  name: string;
  readonly email: string | null;
  readonly createdAtMs: number;
  closedAtMs: number | undefined;
  /** Of an account that is closed: how much it held then. */
  counts: Record<string, number> | undefined;
  members: Member[];
  readonly audit: Audit[];
}

export interface Member {
  readonly memberId: string;
  email: string | null;
  name: string | undefined;
  role: Role;
  /** Of an active one. */
  userId: string | undefined;
  readonly createdAtMs: number;
  /** Of an invited one. */
  invitation: Invitation | undefined;
}

export interface Invitation {
  /** With A to Z as a to z. */
  readonly address: string;
  readonly invitedBy: string;
  readonly invitedByKind: 'person' | 'operator';
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
  readonly before: unknown;
  readonly after: unknown;
}

export interface Project {
  readonly projectId: string;
  readonly accountId: string;
  name: string;
  status: 'active' | 'suspended' | 'closed';
  readonly createdAtMs: number;
  /** Closed by itself, and not with its account. */
  closedAtMs: number | undefined;
  /** Units by month. */
  readonly used: Record<string, number>;
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
  /** Those that it had before, which nobody has seen. */
  readonly unseen: string[];
  name: string | undefined;
  readonly createdAtMs: number;
  readonly lifetimeMs: number | undefined;
  expiresAtMs: number | undefined;
  revokedAtMs: number | undefined;
  replacedBy: string | undefined;
  /** The key whose rotation made it. */
  readonly replaces: string | undefined;
  /** The minute of its last admitted request and how many there were, numbered from the epoch. */
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

/** Whether a session holds. */
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
/** Neither ended nor replaced. */
export const isActive = (key: Key, nowMs: number): boolean => !isOver(key, nowMs) && key.replacedBy === undefined;
/** What the limit counts: those, and one in its grace that has outlived its successor. */
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
