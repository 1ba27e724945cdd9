import { isoTime } from '../../shared/time.ts';
import { generateId } from '../../shared/ids.ts';
import type { ItemKey } from '../../shared/store/items.ts';
import { itemsFrom } from '../../shared/store/tables.ts';
import { changeAs } from '../authority/authority.ts';
import type { AccountStore } from '../store/account-store.ts';
import { bytesOf } from '../store/idempotency.ts';
import { deleteItem } from '../store/writes.ts';
import { notFound } from '../store/refusals.ts';
import { isSessionValid, type SessionLimits, type SessionReference, type StoredSession } from './sessions.ts';
import { accountItemKey } from '../store/account-items.ts';
import type { StoredUser } from './users.ts';

/** A session of a person with its key. */
export type LocatedSession = StoredSession & SessionReference;

/** Every stored session of a person, valid or not. One read for any usual number. */
export async function readSessions(store: AccountStore, userId: string): Promise<LocatedSession[]> {
  const all = accountItemKey.session(userId, '');
  const items = await Array.fromAsync(itemsFrom<ItemKey & StoredSession>(store, all));
  return items.map(({ sk, ...session }) => ({ ...session, userId, secretHash: sk.slice(all.sk.length) }));
}

/** The most stored sessions of one person: more than anybody's browsers, and few enough for one read. */
const MAX_SESSIONS = 50;
/** A transaction has room for a hundred writes. */
const MAX_ENDED_AT_ONCE = 25;

/** The sessions that end when one more begins: those that were inactive for longest, most of which have expired. */
export const makeRoom = (sessions: readonly LocatedSession[]): readonly SessionReference[] =>
  sessions
    .toSorted((one, other) => (one.lastSeenAtMs || 0) - (other.lastSeenAtMs || 0))
    .slice(0, Math.min(MAX_ENDED_AT_ONCE, Math.max(0, sessions.length + 1 - MAX_SESSIONS)));

/** A session's public id. It derives from the stored hash, and cannot be used to sign in or find the item. */
const sessionIdOf = ({ secretHash }: SessionReference): string => generateId('ses', bytesOf(['session', secretHash]));

/** The valid sessions, for display to their person: the last active first; of several at that time, the newest first. */
export const ownSessions = (
  sessions: readonly LocatedSession[],
  user: StoredUser,
  current: SessionReference,
  nowMs: number,
  limits: SessionLimits,
) =>
  sessions
    .filter((session) => isSessionValid(session, user, nowMs, limits))
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
 * Ends a session of a person by its public id, from its next request on. Throws `RefusedError` if the person has no
 * valid session with this id.
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
    if (!session || !isSessionValid(session, user, nowMs, limits)) throw notFound(`There is no session ${sessionId}.`);
    const { userId, secretHash, createdAtMs } = session;
    const key = accountItemKey.session(userId, secretHash);
    // No other session ever has the same 210 random bits.
    const deletion = {
      ...deleteItem(store, { key, what: 'Session', seen: { createdAtMs } }),
      provesCommit: true,
    } as const;
    return { result: { userId, secretHash }, changes: [deletion] };
  });
