import {
  ABSOLUTE_MS,
  holds,
  LIMITS,
  minuteOf,
  SEEN_MS,
  type Account,
  type Person,
  type Session,
  type World,
} from './world.ts';
import { NAMING, type Asked } from './commands.ts';
import { inOrder } from '../../support/database.ts';

/** The answer to a browser or to the platform team. An error is its code and its additional members. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  /** The `Set-Cookie` lines, sorted. */
  readonly cookies: readonly string[];
  readonly retryAfter?: string;
  readonly location?: string;
}

/** The real answer, from which the model takes ids. */
export interface Seen extends Answer {
  /** For a new account: the member id of its creator. Only answers to reads contain it. */
  readonly memberId?: string;
}

export const answer = (status: number, body?: unknown, cookies: readonly string[] = []): Answer => ({
  status,
  ...(body !== undefined && { body }),
  cookies,
});

const STATUSES: Readonly<Record<string, number>> = {
  INVALID_REQUEST: 400,
  NOT_SIGNED_IN: 401,
  OWNER_ONLY: 403,
  NOT_FOUND: 404,
  LIMIT_REACHED: 409,
  LAST_OWNER: 409,
  ALREADY_MEMBER: 409,
  KEY_NOT_ACTIVE: 409,
  IDEMPOTENCY_CONFLICT: 409,
  CHANGED_MEANWHILE: 409,
  TOO_MANY_REQUESTS: 429,
};

/** A refusal by the model. It is thrown, because what was counted before stays counted. */
export class Refused extends Error {
  readonly answer: Answer;
  constructor(code: string, more: object = {}, retryAfter?: string) {
    super(code);
    const body = { code, ...more };
    this.answer = { ...answer(STATUSES[code] ?? 0, body), ...(retryAfter !== undefined && { retryAfter }) };
  }
}

/** Returns the value, or refuses with 404 if it is undefined. */
export function found<T>(thing: T | undefined): T {
  if (thing === undefined) throw new Refused('NOT_FOUND');
  return thing;
}

/** The person of a valid session. Records the time of the request. */
export function signedIn(world: World, { browser, background }: Asked): { person: Person; session: Session } {
  const session = world.sessions.find(({ token }) => token === world.cookies[browser]);
  const person = world.people.find(({ userId }) => userId === session?.userId);
  if (!session || !person || !holds(world, session)) throw new Refused('NOT_SIGNED_IN');
  if (!background && world.nowMs >= session.lastSeenAtMs + SEEN_MS) session.lastSeenAtMs = world.nowMs;
  return { person, session };
}

/** The account of a request, if the person is an active member. An invalid name is refused before an absent account. */
export function asMember(world: World, asked: Asked) {
  const { person } = signedIn(world, asked);
  if (NAMING.has(asked.do)) requireName(asked);
  const account = found(openAccount(world, asked.accountId));
  const member = found(account.members.find(({ userId }) => userId === person.userId));
  return { person, account, member };
}

export function requireName({ name }: Asked): void {
  if (name.kept === undefined) throw new Refused('INVALID_REQUEST', { field: 'name' });
}

export const openAccount = (world: World, id: string): Account | undefined =>
  world.accounts.find(({ accountId, closedAtMs }) => accountId === id && closedAtMs === undefined);

export function requireOwner({ role }: { readonly role: string }): void {
  if (role !== 'owner') throw new Refused('OWNER_ONLY');
}

const A_MINUTE = {
  CHANGES: LIMITS.changesPerMinute,
  READS: LIMITS.readsPerMinute,
  'SIGN-INS': LIMITS.signInsPerMinute,
} as const;

/** Counts an action in this minute, by the provider's name of the person. Refuses it beyond the limit. */
export function count(world: World, { subject }: Pick<Person, 'subject'>, kind: keyof typeof A_MINUTE): void {
  const minute = minuteOf(world.nowMs);
  const name = `${kind} ${minute} ${subject}`;
  const before = world.counts[name] ?? 0;
  if (before >= A_MINUTE[kind]) {
    const seconds = Math.max(1, Math.ceil((minute + 1) * 60 - world.nowMs / 1000));
    throw new Refused('TOO_MANY_REQUESTS', {}, String(seconds));
  }
  world.counts[name] = before + 1;
}

/**
 * The id of what was made before under the same Idempotency-Key, if any. Refuses the key if something else was
 * requested under it.
 */
export function madeBefore(world: World, person: Person, asked: Asked, inputs: object, ...scope: readonly string[]) {
  const name = [person.userId, ...scope, asked.idempotencyKey].join(' ');
  const input = JSON.stringify(inputs);
  const before = asked.idempotencyKey === null ? undefined : world.made[name];
  if (before && before.input !== input) throw new Refused('IDEMPOTENCY_CONFLICT');
  const remember = (id: string): void => {
    if (asked.idempotencyKey !== null) world.made[name] = { id, input };
  };
  return { id: before?.id, remember };
}

const SESSION_COOKIE = '; Path=/; HttpOnly; Secure; SameSite=Strict';
export const sessionCookie = (token: string): string => `__Host-Http-session=${token}${SESSION_COOKIE}`;
export const NO_SESSION_COOKIE = `__Host-Http-session=; Max-Age=0${SESSION_COOKIE}`;
export const NO_ATTEMPT_COOKIE = '__Host-Http-sign-in-STATE=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Lax';

/** Adds one audit event of a change. */
export function recordChange(
  world: World,
  account: Account,
  actor: string,
  action: string,
  change: { projectId?: string; keyId?: string; memberId?: string; userId?: string; before: unknown; after: unknown },
): void {
  account.audit.push({ at: new Date(world.nowMs).toISOString(), actor, action, ...change });
}
export const actorOf = ({ userId }: Person): string => `user:${userId}`;

export const endOf = ({ createdAtMs }: Session): number => createdAtMs + ABSOLUTE_MS;

/** A text that is the same for equal values in any order of members. */
export const sortable = (value: object): string => JSON.stringify(value, (_name, part) => inOrder(part));
