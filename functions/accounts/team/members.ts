import { accountItemKey } from '../store/account-items.ts';
import { moveCounts, accountRefusal } from './account-counts.ts';
import { audited, type AuditSubject } from '../authority/audit.ts';
import { changeAs, maySeeAccount, authorityRefusal } from '../authority/authority.ts';
import type { Change, AccountStore, StoredItem } from '../store/account-store.ts';
import { deleteItem, replaceAttributes } from '../store/writes.ts';
import { invitationEnd, unlistInvitation } from './invitation-items.ts';
import { noSuchMember, type StoredMember } from './stored-members.ts';
import { itemKey } from '../../shared/store/items.ts';
import { readItem } from '../../shared/store/tables.ts';
import type { MemberRole } from '../../shared/choices.ts';

/**
 * Gives a member another role. People need the role owner. Throws `RefusedError` for an unknown member, and for the
 * last active owner.
 */
export const updateMember = (
  store: AccountStore,
  accountId: string,
  memberId: string,
  role: MemberRole,
): Promise<StoredMember> =>
  changeAs(store, 'owner', async () => {
    const member = await readMemberOf(store, accountId, memberId);
    const { role: before } = member;
    if (before === role) return { result: member, changes: [] };
    const owners = member.status === 'active' ? Number(role === 'owner') - Number(before === 'owner') : 0;
    const write = replaceAttributes(store, {
      key: accountItemKey.member(accountId, memberId),
      what: `Member ${memberId}`,
      seen: membershipState(member),
      after: { role },
    });
    return {
      result: { ...member, role },
      checksCaller: checkCaller(store, member, 'owner'),
      changes: [
        write,
        moveCounts(store, accountId, { by: { owners }, memberId }),
        await audited(store, 'member.update', memberSubject(accountId, member), {
          before: { role: before },
          after: { role },
        }),
      ],
    };
  });

/**
 * Removes a member and all data of the membership, effective for the next request; or withdraws an invitation. People
 * need the role owner, except to remove themselves. Throws as {@link updateMember} does.
 */
export const removeMember = (store: AccountStore, accountId: string, memberId: string): Promise<void> => {
  const isSelf = store.caller?.membership?.memberId === memberId;
  const authority = isSelf ? 'viewer' : 'owner';
  return changeAs(store, authority, async () => {
    const member = await readMemberOf(store, accountId, memberId);
    const { role, status } = member;
    const action = status === 'invited' ? 'member.withdraw' : isSelf ? 'member.leave' : 'member.remove';
    const active = status === 'active' ? -1 : 0;
    const owners = role === 'owner' ? active : 0;
    const key = accountItemKey.member(accountId, memberId);
    return {
      result: undefined,
      checksCaller: checkCaller(store, member, authority),
      changes: [
        deleteItem(store, { key, what: `Member ${memberId}`, seen: membershipState(member) }),
        moveCounts(store, accountId, { by: { members: -1, activeMembers: active, owners }, memberId }),
        ...deleteMembershipPointer(store, accountId, member),
        ...unlistInvitation(store, accountId, member),
        await audited(store, action, memberSubject(accountId, member), { before: { role, status }, after: null }),
      ],
    };
  });
};

/** Deletes the pointer to a member: an active member's membership pointer, or an invited member's invitation. */
export function deleteMembershipPointer(
  store: AccountStore,
  accountId: string,
  { memberId, userId, email }: StoredMember,
): Change[] {
  if (userId !== undefined) {
    const key = accountItemKey.membership(userId, accountId);
    return [deleteItem(store, { key, what: `Member ${memberId}`, seen: { memberId } })];
  }
  return email === null ? [] : [invitationEnd(store, accountId, email, memberId)];
}

/** A member of an open, counted account. Throws when the account is not, and when the member does not exist. */
async function readMemberOf(store: AccountStore, accountId: string, memberId: string): Promise<StoredMember> {
  const [account, member] = await Promise.all([
    readItem<StoredItem>(store, itemKey.account(accountId)),
    readItem<StoredMember>(store, accountItemKey.member(accountId, memberId)),
  ]);
  const refusal = accountRefusal(store, accountId, maySeeAccount(store, accountId) ? account : undefined);
  if (refusal) throw refusal;
  if (!member) throw noSuchMember(accountId, memberId);
  return member;
}

/** A member as the subject of a change: the person by id alone. */
export const memberSubject = (accountId: string, { memberId, userId }: StoredMember): AuditSubject => ({
  accountId,
  memberId,
  ...(userId !== undefined && { userId }),
});

/** The attributes that a change of a member depends on. */
export const membershipState = ({ role, status, userId }: StoredMember) => ({ role, status, userId });

/** Whether the change itself checks the caller: it does where it changes the caller's own member item. */
function checkCaller({ caller }: AccountStore, member: StoredMember, authority: 'owner' | 'viewer'): boolean {
  if (caller?.membership?.memberId !== member.memberId) return false;
  const refusal = authorityRefusal({ ...member }, caller.userId, authority);
  if (refusal) throw refusal;
  return true;
}
