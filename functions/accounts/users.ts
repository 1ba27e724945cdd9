import { isoTime } from '../core/clock.ts';
import { readItem } from '../store/items.ts';
import { accountItemKey } from './account-items.ts';
import { commit, whileOvertaken, type ControlPlane } from './control-plane.ts';
import { replaceAttributes } from './edits.ts';
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
  /** How often the person has come to belong to an account, by creating it or by an invitation; absent: never. */
  readonly accountsCreated?: number;
  readonly accountsJoined?: number;
}

/** Ends every session of a person, from the next request on: none of them needs to be found. One who is no more has none. */
export const endAllSessions = (plane: ControlPlane, userId: string): Promise<void> =>
  whileOvertaken(plane, async () => {
    const key = accountItemKey.user(userId);
    const user = await readItem<StoredUser>(plane, key);
    if (!user) return;
    const { sessionsSince } = user;
    const after = { sessionsSince: endOfSessions(sessionsSince, plane.clock.now()) };
    await commit(plane, [replaceAttributes(plane, { key, what: `User ${userId}`, seen: { sessionsSince }, after })]);
  });

/**
 * The `sessionsSince` of a person whose sessions end now. Never one that was there before: sessions are held to it by
 * being equal, so that no two clocks have to agree.
 */
export const endOfSessions = (earlier: string | undefined, nowMs: number): string =>
  isoTime(Math.max(nowMs, earlier === undefined ? 0 : Date.parse(earlier) + 1));
