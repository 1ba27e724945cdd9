import { isoTime } from '../../shared/time.ts';
import { accountItemKey } from '../store/account-items.ts';
import { changeAs } from '../authority/authority.ts';
import { commit } from '../store/transact.ts';
import type { Change, AccountStore } from '../store/account-store.ts';
import { notSignedIn, RefusedError, notFound } from '../store/refusals.ts';
import { replaceAttributes, unchanged } from '../store/writes.ts';
import type { Person } from '../team/own-accounts.ts';
import { audited } from '../authority/audit.ts';
import { readMember } from '../team/stored-members.ts';
import { readItem } from '../../shared/store/tables.ts';

/** A person as stored, as of the last sign-in. */
export interface StoredUser extends Person {
  readonly userId: string;
  readonly createdAt: string;
  readonly lastSignIn: string;
  /** When all sessions were last ended; absent: never. A session that began under another value has ended. */
  readonly sessionsSince?: string;
  /** The identity from which a sign-in finds the person. */
  readonly identityHash: string;
  /**
   * How often the person has joined or created an account; absent: never. Created ones include those of the same
   * identity before it deleted its profile.
   */
  readonly accountsCreated?: number;
  readonly accountsJoined?: number;
}

/**
 * Ends every session of the calling person, from the next request on, without finding any of them. Throws
 * `RefusedError` for a deleted person, and if the sessions have ended since this `sessionsSince`, also meanwhile.
 */
export const endAllSessions = (
  store: AccountStore,
  { userId, sessionsSince }: Pick<StoredUser, 'userId' | 'sessionsSince'>,
): Promise<void> => {
  const after = { sessionsSince: endOfSessions(sessionsSince, store.clock.now()) };
  const key = accountItemKey.user(userId);
  const change = replaceAttributes(store, { key, what: `User ${userId}`, seen: { sessionsSince }, after });
  const refusal = (): RefusedError => notSignedIn(userId);
  const provesCommit: Change['provesCommit'] = (stored) => stored?.sessionsSince === after.sessionsSince;
  return commit(store, [{ ...change, refusal, provesCommit }]);
};

/**
 * A new `sessionsSince`, which ends all sessions of a person. It always differs from the earlier one: sessions are
 * compared for equality, so no two clocks have to agree.
 */
const endOfSessions = (earlier: string | undefined, nowMs: number): string =>
  isoTime(Math.max(nowMs, earlier === undefined ? 0 : Date.parse(earlier) + 1));

/**
 * Ends all sessions of a member, in every account: those that began until now are refused from the next request on.
 * Throws `RefusedError` for an unknown member, and for one who has not accepted the invitation.
 */
export const signOutMember = (store: AccountStore, accountId: string, memberId: string): Promise<void> =>
  changeAs(store, 'owner', async () => {
    const { userId } = await readMember(store, accountId, memberId);
    if (userId === undefined) {
      throw new RefusedError(`Member ${memberId} has not accepted the invitation: there is nobody to sign out.`);
    }
    const key = accountItemKey.user(userId);
    const user = await readItem<StoredUser>(store, key);
    if (!user) throw notFound(`There is no person ${userId}.`);
    const { sessionsSince } = user;
    const after = { sessionsSince: endOfSessions(sessionsSince, store.clock.now()) };
    return {
      result: undefined,
      changes: [
        // A person who was removed meanwhile is not a member any more.
        unchanged(store, {
          key: accountItemKey.member(accountId, memberId),
          what: `Member ${memberId}`,
          seen: { userId },
        }),
        replaceAttributes(store, { key, what: `Member ${memberId}`, seen: { sessionsSince }, after }),
        await audited(
          store,
          'member.sign-out',
          { accountId, memberId, userId },
          { before: { sessionsSince: sessionsSince ?? null }, after },
        ),
      ],
    };
  });
