import { isoTime } from '../core/clock.ts';
import { accountItemKey } from './account-items.ts';
import { commit } from './changes.ts';
import type { Change, AccountStore } from './account-store.ts';
import { notSignedIn, type RefusedError } from './refusals.ts';
import { replaceAttributes } from './conditional-writes.ts';
import type { Person } from './own-accounts.ts';

/** A person as stored, as of the last sign-in. */
export interface StoredUser extends Person {
  readonly userId: string;
  readonly createdAt: string;
  readonly lastSignIn: string;
  /** When all sessions were last ended at once; absent: never. A session that began under another value has ended. */
  readonly sessionsSince?: string;
  /** Where the person is found from at a sign-in. Absent: not noted yet, since the person last signed in before it was. */
  readonly identityHash?: string;
  /**
   * How often the person has come to belong to an account, by creating it or by an invitation; absent: never. Created ones
   * are also those of the same identity before it deleted its profile.
   */
  readonly accountsCreated?: number;
  readonly accountsJoined?: number;
}

/**
 * Ends every session of a person who asks for it, from the next request on: none of them needs to be found. Throws
 * `RefusedError` for a person who is no more, and for one whose sessions have ended since this `sessionsSince`: also
 * while it is on its way.
 */
export const endAllSessions = (
  store: AccountStore,
  { userId, sessionsSince }: Pick<StoredUser, 'userId' | 'sessionsSince'>,
): Promise<void> => {
  const after = { sessionsSince: endOfSessions(sessionsSince, store.clock.now()) };
  const key = accountItemKey.user(userId);
  const change = replaceAttributes(store, { key, what: `User ${userId}`, seen: { sessionsSince }, after });
  const refusal = (): RefusedError => notSignedIn(userId);
  const proves: Change['proves'] = (stored) => stored?.sessionsSince === after.sessionsSince;
  return commit(store, [{ ...change, refusal, proves }]);
};

/**
 * The `sessionsSince` of a person whose sessions end now. Never one that was there before: sessions are held to it by
 * being equal, so that no two clocks have to agree.
 */
export const endOfSessions = (earlier: string | undefined, nowMs: number): string =>
  isoTime(Math.max(nowMs, earlier === undefined ? 0 : Date.parse(earlier) + 1));
