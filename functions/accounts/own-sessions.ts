import { isoTime } from '../core/clock.ts';
import { generateSessionId } from '../core/ids.ts';
import { itemsFrom } from '../store/items.ts';
import { changeAs } from './changes.ts';
import type { AccountStore } from './account-store.ts';
import { bytesOf } from './derived-ids.ts';
import { deleteItem } from './conditional-writes.ts';
import { notFound } from './refusals.ts';
import { isAlive, type SessionLimits, type SessionReference, type StoredSession } from './sessions.ts';
import { userItemKey } from './account-items.ts';
import type { StoredUser } from './users.ts';

/** A session of a person with what it is found by. */
export type LocatedSession = StoredSession & SessionReference;

/** Every session that is stored of a person, whether it still holds or not. One read, of any usual number. */
export async function readSessions(store: AccountStore, userId: string): Promise<LocatedSession[]> {
  const { sk: prefix } = userItemKey.session(userId, '');
  const items = await Array.fromAsync(itemsFrom(store, userItemKey.session(userId, '')));
  return items.map(({ sk, ...session }) => ({
    ...(session as unknown as StoredSession),
    userId,
    secretHash: (sk as string).slice(prefix.length),
  }));
}

/** Sessions that are stored of one person at most: more than anybody's browsers, and few enough to be read at once. */
const MAX_SESSIONS = 50;
/** Of more, from before there was a bound, so many end with one sign-in: a transaction has room for a hundred writes. */
const MAX_ENDED_AT_ONCE = 25;

/** Those that end where one more begins: what was not seen for longest first, which has mostly ended by itself. */
export const makeRoom = (sessions: readonly LocatedSession[]): readonly SessionReference[] =>
  sessions
    .toSorted((one, other) => (one.lastSeenAtMs || 0) - (other.lastSeenAtMs || 0))
    .slice(0, Math.min(MAX_ENDED_AT_ONCE, Math.max(0, sessions.length + 1 - MAX_SESSIONS)));

/** A session's public id: made of the hash that is stored, and neither that nor of use to sign in. */
const sessionIdOf = ({ secretHash }: SessionReference): string => generateSessionId(bytesOf(['session', secretHash]));

/** A session as its person sees it. */
export interface OwnSession {
  readonly sessionId: string;
  readonly createdAt: string;
  /** Late by ten minutes at most. */
  readonly lastSeen: string;
  readonly expiresAt: string;
  readonly browser: string;
  /** Whether it is the one that asks. */
  readonly current: boolean;
}

/** Those that still hold, the one last seen first; of several at that time, the newest. */
export const ownSessions = (
  sessions: readonly LocatedSession[],
  user: StoredUser,
  current: SessionReference,
  nowMs: number,
  limits: SessionLimits,
): OwnSession[] =>
  sessions
    .filter((session) => isAlive(session, user, nowMs, limits))
    .sort((one, other) => other.lastSeenAtMs - one.lastSeenAtMs || other.createdAtMs - one.createdAtMs)
    .map((session) => ({
      sessionId: sessionIdOf(session),
      createdAt: isoTime(session.createdAtMs),
      lastSeen: isoTime(session.lastSeenAtMs),
      expiresAt: isoTime(Math.min(session.expiresAtMs, session.createdAtMs + limits.absoluteMs)),
      browser: session.browser,
      current: session.secretHash === current.secretHash,
    }));

/**
 * Ends a session of a person by its public id, from its next request on. Throws `RefusedError` where the person has
 * none with this id that still holds.
 */
export const endOwnSession = (
  store: AccountStore,
  user: StoredUser,
  sessionId: string,
  limits: SessionLimits,
): Promise<SessionReference> =>
  changeAs(store, 'person', async () => {
    const nowMs = store.clock.now();
    const session = (await readSessions(store, user.userId)).find((own) => sessionIdOf(own) === sessionId);
    if (!session || !isAlive(session, user, nowMs, limits)) throw notFound(`There is no session ${sessionId}.`);
    const { userId, secretHash, createdAtMs } = session;
    const key = userItemKey.session(userId, secretHash);
    // Nothing makes a session under the same 210 random bits again.
    const deletion = { ...deleteItem(store, { key, what: 'Session', seen: { createdAtMs } }), proves: true } as const;
    return { result: { userId, secretHash }, changes: [deletion] };
  });
