import type { ItemKey } from '../../shared/store/items.ts';
import { itemsFrom, readItem } from '../../shared/store/tables.ts';
import { moveCounts, accountRefusal, type AccountCounts } from '../team/account-counts.ts';
import { accountItemKey } from '../store/account-items.ts';
import type { StoredAccount } from '../team/accounts.ts';
import { audited } from '../authority/audit.ts';
import { changeAs, type Decision } from '../authority/authority.ts';
import type { Change, AccountStore, Membership } from '../store/account-store.ts';
import { deleteItem, removeItem } from '../store/writes.ts';
import { memberSubject, membershipState, deleteMembershipPointer } from '../team/members.ts';
import { withOwnAccounts } from '../team/memberships.ts';
import { RefusedError, LastOwnerError, notSignedIn, StaleError } from '../store/refusals.ts';
import type { StoredMember } from '../team/stored-members.ts';
import { leavesRemainder } from '../authority/used.ts';
import type { StoredUser } from './users.ts';

/**
 * Writes of one transaction (AWS, "TransactWriteItems"), without those for the person, the identity, the remainder, the
 * two counts of changes while the stage changes its secret …
 */
const MAX_WRITES = 100 - 5;
/** … and for each account the member, the membership pointer, the account's counts and the audit event. */
const WRITES_PER_ACCOUNT = 4;
/** The most accounts that a person can leave in one transaction. */
export const MAX_LEFT_AT_ONCE = Math.floor(MAX_WRITES / WRITES_PER_ACCOUNT);

/**
 * Deletes the calling person in one transaction, with the membership in every account. Without the person, no session
 * is valid. The audit keeps the person's actions under an id without a person, and the use of limits is kept for some
 * time. For a deleted person it does nothing.
 *
 * Throws `LastOwnerError` if accounts would be without an owner. Throws `RefusedError` for a person in more accounts
 * than {@link MAX_LEFT_AT_ONCE}, and if the sessions have ended since this `sessionsSince`: a person who is signed out
 * everywhere meanwhile deletes nothing.
 */
export const deleteProfile = (
  store: AccountStore,
  { userId, sessionsSince }: Pick<StoredUser, 'userId' | 'sessionsSince'>,
): Promise<void> =>
  changeAs(store, 'person', () =>
    deletion(store, userId, (user) => {
      if (user.sessionsSince !== sessionsSince) throw notSignedIn(userId);
    }),
  );

/** The same for the platform team, whatever sessions the person has. Throws as {@link deleteProfile} does. */
export const deletePerson = (store: AccountStore, userId: string): Promise<void> =>
  changeAs(store, 'person', () => deletion(store, userId));

/** @param check of the person as read; throws to refuse */
async function deletion(
  store: AccountStore,
  userId: string,
  check?: (user: StoredUser) => void,
): Promise<Decision<void>> {
  const stale = () => new StaleError(`User ${userId}`);
  const key = accountItemKey.user(userId);
  const user = await readItem<StoredUser>(store, key);
  if (!user) return { result: undefined, changes: [] };
  // Read after the person, and not in parallel: otherwise an account that the person joins in between would be
  // counted, but its membership not read.
  const memberships = await Array.fromAsync(itemsFrom<Membership>(store, accountItemKey.membership(userId, '')));
  check?.(user);
  const { accountsCreated, accountsJoined, sessionsSince, identityHash } = user;
  if (memberships.length > MAX_LEFT_AT_ONCE) {
    const line = `User ${userId} is in over ${MAX_LEFT_AT_ONCE} accounts and must leave some first.`;
    throw new RefusedError(line, { code: 'LIMIT_REACHED' });
  }
  // An account that was closed, or removed the person, between the two reads needs no deletion.
  const found = await withOwnAccounts(store, userId, memberships);
  const orphaned = found.filter(({ account, member }) => isLastOwner(store, account, member));
  if (orphaned.length > 0) {
    throw new LastOwnerError(orphaned.map(({ account: { accountId, name } }) => ({ accountId, name })));
  }
  const left = await Promise.all(
    found.map(({ membership: { accountId }, member }) => leave(store, accountId, member, stale)),
  );
  const changes = [
    // A person who joined another account meanwhile has another count here; one who was signed out has another time.
    deleteItem(store, { key, what: `User ${userId}`, seen: { accountsCreated, accountsJoined, sessionsSince } }),
    deleteItem(store, { key: accountItemKey.identity(identityHash), what: `User ${userId}`, seen: { userId } }),
    ...left.flat(),
    ...(await leavesRemainder(store, { identityHash }, accountsCreated ?? 0)),
  ];
  return { result: undefined, changes };
}

/** Whether an account would be without an owner. Throws if this is not certain yet. */
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
  stale: () => StaleError,
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
    // The decision is made again, so that the refusal names all accounts whose last owner the person is.
    { ...moveCounts(store, accountId, { by, memberId }), refusal: stale },
    await audited(store, store.caller ? 'member.leave' : 'member.remove', memberSubject(accountId, member), {
      before: { role, status: 'active' },
      after: null,
    }),
  ];
}

/** Deletes the sessions of a deleted person. They are not valid any more, and would expire. */
export async function deleteRemains(store: AccountStore, userId: string): Promise<void> {
  const found = await Array.fromAsync(itemsFrom<ItemKey>(store, accountItemKey.session(userId, '')));
  await Promise.all(found.map(({ pk, sk }) => removeItem(store, { pk, sk })));
}
