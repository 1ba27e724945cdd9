import { accountItemKey } from './account-items.ts';
import { audited } from './audit.ts';
import { changeAs } from './changes.ts';
import { RefusedError, notFound } from './refusals.ts';
import type { AccountStore } from './account-store.ts';
import { replaceAttributes } from './conditional-writes.ts';
import { readMember } from './stored-members.ts';
import { endOfSessions, type StoredUser } from './users.ts';
import { readItem } from '../store/items.ts';

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
        replaceAttributes(store, { key, what: `Member ${memberId}`, seen: { sessionsSince }, after }),
        await audited(
          store,
          'member.sign-out',
          { accountId, memberId },
          { before: { sessionsSince: sessionsSince ?? null }, after },
        ),
      ],
    };
  });
