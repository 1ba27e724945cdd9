import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { available } from '../store/client.ts';
import { callOptions, itemsFrom, readItem, type ItemKey } from '../store/items.ts';
import { moveCounts, accountRefusal, type AccountCounts } from './account-counts.ts';
import { accountItemKey, userItemKey } from './account-items.ts';
import type { StoredAccount } from './accounts.ts';
import { audited } from './audit.ts';
import { changeAs } from './changes.ts';
import type { Change, AccountStore, Membership } from './account-store.ts';
import { deleteItem } from './conditional-writes.ts';
import { membershipState, deleteMembershipPointer } from './members.ts';
import { withOwnAccounts } from './memberships.ts';
import { RefusedError, LastOwnerError, notSignedIn, StaleError } from './refusals.ts';
import type { StoredMember } from './stored-members.ts';
import { leavesRemainder } from './used-limits.ts';
import type { StoredUser } from './users.ts';

/** Writes of one transaction (AWS, "TransactWriteItems"): the person, the identity, what stays of them, the count of changes … */
const MAX_WRITES = 100 - 4;
/** … and for each account the member, the way in, the account's counts and the audit event. */
const WRITES_PER_ACCOUNT = 4;
/** Accounts that a person can leave at once. */
export const MAX_LEFT_AT_ONCE = Math.floor(MAX_WRITES / WRITES_PER_ACCOUNT);

/**
 * Deletes a person in one transaction, with their membership in every account; without the person no session holds. What
 * they did stays in the audit, under an id that leads to nobody, and for some time how much of their limits is used up. Of
 * a person who is no more nothing is to be deleted.
 * Throws `LastOwnerError` where accounts would be without an owner, and `RefusedError` for a person in more accounts
 * than {@link MAX_LEFT_AT_ONCE}, and for one whose sessions have ended since this `sessionsSince`: also while it is on its
 * way, who was signed out everywhere deletes nothing.
 */
export const deleteProfile = (
  store: AccountStore,
  { userId, sessionsSince }: Pick<StoredUser, 'userId' | 'sessionsSince'>,
): Promise<void> =>
  changeAs(store, 'person', async () => {
    const overtaken = () => new StaleError(`User ${userId}`);
    const key = accountItemKey.user(userId);
    const user = await readItem<StoredUser>(store, key);
    if (!user) return { result: undefined, changes: [] };
    // Behind the person, not beside: of an account that they come to belong to between the two, the count would be known
    // here and the membership not.
    const ways = itemsFrom(
      store,
      accountItemKey.membership(userId, ''),
    ) as AsyncGenerator as AsyncGenerator<Membership>;
    const memberships = await Array.fromAsync(ways);
    const { identityHash, accountsCreated, accountsJoined } = user;
    if (identityHash === undefined || user.sessionsSince !== sessionsSince) {
      throw notSignedIn(userId);
    }
    if (memberships.length > MAX_LEFT_AT_ONCE) {
      const line = `User ${userId} is in over ${MAX_LEFT_AT_ONCE} accounts and must leave some first.`;
      throw new RefusedError(line, { code: 'LIMIT_REACHED' });
    }
    // Of an account that was closed, or that removed them, between the two reads nothing is left to be deleted.
    const found = await withOwnAccounts(store, userId, memberships);
    const orphaned = found.filter(({ account, member }) => isLastOwner(store, account, member));
    if (orphaned.length > 0) {
      throw new LastOwnerError(orphaned.map(({ account: { accountId, name } }) => ({ accountId, name })));
    }
    const left = await Promise.all(
      found.map(({ membership: { accountId }, member }) => leave(store, accountId, member, overtaken)),
    );
    const changes = [
      // Who has come to belong to another account meanwhile has another count here, and who is signed out another time.
      deleteItem(store, { key, what: `User ${userId}`, seen: { accountsCreated, accountsJoined, sessionsSince } }),
      deleteItem(store, { key: userItemKey.identity(identityHash), what: `User ${userId}`, seen: { userId } }),
      ...left.flat(),
      ...(await leavesRemainder(store, { userId, identityHash }, accountsCreated ?? 0)),
    ];
    return { result: undefined, changes };
  });

/** Whether an account would be without an owner. Throws where that cannot be told yet. */
function isLastOwner(store: AccountStore, account: StoredAccount, { role }: StoredMember): boolean {
  const counted = account as StoredAccount & AccountCounts;
  const refusal = accountRefusal(store, account.accountId, { ...counted });
  if (refusal) throw refusal;
  return role === 'owner' && counted.owners <= 1;
}

async function leave(
  store: AccountStore,
  accountId: string,
  member: StoredMember,
  overtaken: () => StaleError,
): Promise<Change[]> {
  const { memberId, role } = member;
  const by = { members: -1, activeMembers: -1, owners: role === 'owner' ? -1 : 0 };
  return [
    deleteItem(store, {
      key: accountItemKey.member(accountId, memberId),
      what: `Member ${memberId}`,
      seen: membershipState(member),
    }),
    ...deleteMembershipPointer(store, accountId, member),
    // Whoever is the last owner by now is told which accounts, all of them.
    { ...moveCounts(store, accountId, { by, memberId }), refusal: overtaken },
    await audited(store, 'member.remove', { accountId, memberId }, { before: { role, status: 'active' }, after: null }),
  ];
}

/** Deletes the sessions of a person who is no more: they hold no longer, and would go by themselves. */
export async function deleteRemains(store: AccountStore, userId: string): Promise<void> {
  const found = await Array.fromAsync(itemsFrom(store, userItemKey.session(userId, '')));
  const deletions = found.map((item) => {
    const { pk, sk } = item as unknown as ItemKey;
    const command = new DeleteCommand({ TableName: store.tables.gateway, Key: { pk, sk } });
    return available(store.client.send(command, callOptions(store)));
  });
  await Promise.all(deletions);
}
