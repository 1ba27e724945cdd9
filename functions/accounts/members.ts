import { accountItemKey } from './account-items.ts';
import { moveCounts, unfitness } from './account-counts.ts';
import { audited } from './audit.ts';
import { changeAs, isWithin, lacking } from './callers.ts';
import type { Change, ControlPlane, StoredItem } from './control-plane.ts';
import { deleteItem, replaceAttributes } from './conditional-writes.ts';
import { invitationEnd } from './invitations.ts';
import { noSuchMember, type MemberRole, type StoredMember } from './stored-members.ts';
import { readItem } from '../store/items.ts';
import { itemKey } from '../store/table-items.ts';

/**
 * Gives a member another role; of persons an owner may. Throws `ControlPlaneError` for an unknown one, and for the last
 * active owner.
 */
export const updateMember = (
  plane: ControlPlane,
  accountId: string,
  memberId: string,
  role: MemberRole,
): Promise<StoredMember> =>
  changeAs(plane, 'owner', async () => {
    const member = await readMemberOf(plane, accountId, memberId);
    const { role: before } = member;
    if (before === role) return { result: member, changes: [] };
    const owners = member.status === 'active' ? (role === 'owner' ? 1 : -1) : 0;
    const write = replaceAttributes(plane, {
      key: accountItemKey.member(accountId, memberId),
      what: `Member ${memberId}`,
      seen: standing(member),
      after: { role },
    });
    return {
      result: { ...member, role },
      holdCaller: holdsCaller(plane, member, 'owner'),
      changes: [
        write,
        moveCounts(plane, accountId, { by: { owners }, memberId }),
        await audited(plane, 'member.update', { accountId, memberId }, { before: { role: before }, after: { role } }),
      ],
    };
  });

/**
 * Removes a member and all that is stored of the person, from the next request on; or withdraws an invitation. Of persons
 * an owner may, and each member with themself. Throws as {@link updateMember} does.
 */
export const removeMember = (plane: ControlPlane, accountId: string, memberId: string): Promise<void> => {
  const authority = plane.caller?.membership?.memberId === memberId ? 'member' : 'owner';
  return changeAs(plane, authority, async () => {
    const member = await readMemberOf(plane, accountId, memberId);
    const { role, status = 'invited' } = member;
    const active = status === 'active' ? -1 : 0;
    const owners = role === 'owner' ? active : 0;
    const key = accountItemKey.member(accountId, memberId);
    return {
      result: undefined,
      holdCaller: holdsCaller(plane, member, authority),
      changes: [
        deleteItem(plane, { key, what: `Member ${memberId}`, seen: standing(member) }),
        moveCounts(plane, accountId, { by: { members: -1, activeMembers: active, owners }, memberId }),
        ...wayIn(plane, accountId, member),
        await audited(plane, 'member.remove', { accountId, memberId }, { before: { role, status }, after: null }),
      ],
    };
  });
};

/** The way by which a member is found: of an active one the person's, of an invited one the address's. */
export function wayIn(plane: ControlPlane, accountId: string, { memberId, userId, email }: StoredMember): Change[] {
  if (userId !== undefined) {
    const key = accountItemKey.membership(userId, accountId);
    return [deleteItem(plane, { key, what: `Member ${memberId}`, seen: { memberId } })];
  }
  return email === null ? [] : [invitationEnd(plane, accountId, email, memberId)];
}

/** A member of an account that is open and counted. Throws when it is not, and when there is no such member. */
async function readMemberOf(plane: ControlPlane, accountId: string, memberId: string): Promise<StoredMember> {
  const [account, member] = await Promise.all([
    readItem<StoredItem>(plane, itemKey.account(accountId)),
    readItem<StoredMember>(plane, accountItemKey.member(accountId, memberId)),
  ]);
  const unfit = unfitness(plane, accountId, isWithin(plane, accountId) ? account : undefined);
  if (unfit) throw unfit;
  if (!member) throw noSuchMember(accountId, memberId);
  return member;
}

/** What a change of a member was decided by. */
export const standing = ({ role, status, userId }: StoredMember) => ({ role, status, userId });

/** Whether a change that relies on this member's standing holds the caller to an authority. Throws where it is lacking. */
function holdsCaller({ caller }: ControlPlane, member: StoredMember, authority: 'owner' | 'member'): boolean {
  if (caller?.membership?.memberId !== member.memberId) return false;
  const refusal = lacking({ ...member }, caller.userId, authority);
  if (refusal) throw refusal;
  return true;
}
