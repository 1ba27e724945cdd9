import { foldedAddress } from '../../shared/address.ts';
import { itemKey } from '../../shared/store/items.ts';
import { readItem } from '../../shared/store/tables.ts';
import { accountItemKey } from '../store/account-items.ts';
import type { AccountCounts } from '../team/account-counts.ts';
import type { AccountStore } from '../store/account-store.ts';
import { readAccount, type StoredAccount } from '../team/accounts.ts';
import { audited } from '../authority/audit.ts';
import { edit } from '../authority/edit.ts';
import { changeAs } from '../authority/authority.ts';
import { deleteItem, deleteUnlessStale, replaceUnlessStale } from '../store/writes.ts';
import { memberSubject, membershipState, removeMember } from '../team/members.ts';
import type { FoundInvitation, FoundMember, PersonData } from './person-data.ts';
import { deletePerson, deleteRemains, MAX_LEFT_AT_ONCE } from './profile.ts';
import { LastOwnerError, RefusedError } from '../store/refusals.ts';
import type { StoredMember } from '../team/stored-members.ts';

/** Replaces a person's name in the invitations that they made. */
const INVITER = 'an owner';

/**
 * Deletes the found data of a person. Each step is a change of its own and reads the present state. The profile goes
 * last: after a crash the person is still found, and the deletion can be repeated. A person who joins an account
 * meanwhile leaves that one too. A person who becomes a last owner meanwhile is refused.
 *
 * Throws `LastOwnerError` if open accounts would be without an owner, before any change where that is known.
 */
export async function deletePersonData(store: AccountStore, data: PersonData): Promise<void> {
  const open = data.memberships.filter(({ isOpen }) => isOpen);
  const active = open.filter(({ member }) => isActive(member));
  await requireOtherOwners(store, active);
  const ids = data.people.map(({ user }) => user.userId);
  // Sessions are worthless without the person, and hold data from the provider.
  for (const userId of ids) await deleteRemains(store, userId);
  for (const { accountId, member } of open) {
    if (!isActive(member)) await unlessGone(removeMember(store, accountId, member.memberId));
  }
  // Accounts for which the deletion of the profile has no room.
  for (const { accountId, member } of active.slice(MAX_LEFT_AT_ONCE)) {
    await unlessGone(removeMember(store, accountId, member.memberId));
  }
  for (const { accountId, member } of data.memberships.filter(({ isOpen }) => !isOpen)) {
    await forgetMember(store, accountId, member);
  }
  for (const invitation of data.made) await forgetInviter(store, invitation);
  for (const { accountId } of data.accounts) await forgetAddress(store, accountId, data.email);
  for (const { user } of data.people) {
    await deletePerson(store, user.userId);
    // Sessions that began meanwhile.
    await deleteRemains(store, user.userId);
  }
  // Accounts that were closed meanwhile have kept their members.
  for (const { accountId, member } of open) await forgetMember(store, accountId, member);
  for (const invitation of data.held) await unlistClosed(store, invitation);
}

const isActive = ({ status }: StoredMember): boolean => status === 'active';

/** It was withdrawn, declined or removed meanwhile, or its account was closed. */
const unlessGone = (change: Promise<void>): Promise<void> =>
  change.catch((error: unknown) => {
    if (!(error instanceof RefusedError) || error.code !== 'NOT_FOUND') throw error;
  });

async function requireOtherOwners(store: AccountStore, active: readonly FoundMember[]): Promise<void> {
  const owned = active.filter(({ member }) => member.role === 'owner');
  const accounts = await Promise.all(
    owned.map(({ accountId }) => readItem<StoredAccount & AccountCounts>(store, itemKey.account(accountId))),
  );
  const orphaned = accounts.flatMap((account) =>
    account && account.status === undefined && account.owners <= 1
      ? [{ accountId: account.accountId, name: account.name }]
      : [],
  );
  if (orphaned.length > 0) throw new LastOwnerError(orphaned);
}

/** Deletes a member of a closed account. Nobody reads its counts any more. */
const forgetMember = (store: AccountStore, accountId: string, { memberId }: StoredMember): Promise<void> =>
  changeAs(store, 'owner', async () => {
    const key = accountItemKey.member(accountId, memberId);
    const member = await readItem<StoredMember>(store, key);
    if (!member) return { result: undefined, changes: [] };
    const { role, status } = member;
    const action = status === 'active' ? 'member.remove' : 'member.withdraw';
    const changes = [
      deleteItem(store, { key, what: `Member ${memberId}`, seen: membershipState(member) }),
      await audited(store, action, memberSubject(accountId, member), { before: { role, status }, after: null }),
    ];
    return { result: undefined, changes };
  });

/** Removes the inviter's name from an invitation, which stays valid. */
async function forgetInviter(store: AccountStore, { key, inviterId }: FoundInvitation): Promise<void> {
  const after = { invitedBy: INVITER, inviterId: undefined };
  await replaceUnlessStale(store, { key, seen: { inviterId }, after });
}

/** Removes an address from an account, open or closed, that has it as its own. */
async function forgetAddress(store: AccountStore, accountId: string, email: string): Promise<void> {
  await edit<StoredAccount>(store, {
    key: () => itemKey.account(accountId),
    what: `Account ${accountId}`,
    absent: () => new RefusedError(`There is no account ${accountId}.`, { code: 'NOT_FOUND' }),
    authority: 'owner',
    action: 'account.update',
    subject: () => ({ accountId }),
    decide: (account) => (foldedAddress(account.email ?? '') === foldedAddress(email) ? { email: null } : {}),
    personal: ['email'],
  });
}

/** Deletes invitations to closed accounts from the list of the address. */
async function unlistClosed(store: AccountStore, { key, accountId, memberId }: FoundInvitation): Promise<void> {
  const account = await readAccount(store, accountId);
  if (account.status !== 'closed') return;
  await deleteUnlessStale(store, { key, seen: { memberId } });
}
