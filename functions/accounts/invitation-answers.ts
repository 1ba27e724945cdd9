import { moveCounts, unfitness } from './account-counts.ts';
import { accountItemKey } from './account-items.ts';
import { audited } from './audit.ts';
import { changeAs } from './callers.ts';
import { create, type Change, type ControlPlane, type Membership, type StoredItem } from './control-plane.ts';
import { deleteItem, replaceAttributes } from './conditional-writes.ts';
import { isAlive, type StoredInvitation } from './invitations.ts';
import type { OwnAccount, Person } from './own-accounts.ts';
import { ControlPlaneError, notFound, OvertakenError } from './refusals.ts';
import type { StoredMember } from './stored-members.ts';
import { readItem } from '../store/items.ts';
import { itemKey, names } from '../store/table-items.ts';

/**
 * Accepts an invitation to the person's verified address: they are a member of the account from the next request on.
 * Accepted before, nothing changes. Throws `ControlPlaneError` where there is no invitation that is alive.
 */
export const acceptInvitation = (
  plane: ControlPlane,
  accountId: string,
  person: Person,
): Promise<Omit<OwnAccount, 'memberId'>> =>
  changeAs(plane, 'person', async () => {
    const userId = userOf(plane);
    const [account, invitation, membership] = await Promise.all([
      readItem<StoredItem & { name: string }>(plane, itemKey.account(accountId)),
      readInvitation(plane, accountId, person),
      readItem<Membership>(plane, accountItemKey.membership(userId, accountId)),
    ]);
    const memberId = (invitation ?? membership)?.memberId;
    if (!account || memberId === undefined) throw noInvitation(accountId);
    const unfit = unfitness(plane, accountId, account);
    if (unfit) throw unfit;
    const member = await readItem<StoredMember>(plane, accountItemKey.member(accountId, memberId));
    if (!member) throw new OvertakenError(`The invitation to account ${accountId}`);
    const { role, status } = member;
    const result = { accountId, name: account.name, role };
    if (!invitation) return { result, changes: [] };
    if (membership) throw new ControlPlaneError('This person is a member already.', { code: 'ALREADY_MEMBER' });
    if (status !== 'invited') throw new OvertakenError(`Member ${memberId}`);

    const after = { status: 'active', userId, email: person.email, name: person.name ?? member.name };
    const changes = [
      joinedWith(plane, userId, person),
      replaceAttributes(plane, {
        key: accountItemKey.member(accountId, memberId),
        what: `Member ${memberId}`,
        seen: { status, role, userId: undefined },
        after,
      }),
      create(
        plane,
        { ...accountItemKey.membership(userId, accountId), accountId, memberId },
        () => new OvertakenError(`Member ${memberId}`),
      ),
      usedInvitation(plane, invitation, person),
      moveCounts(plane, accountId, { by: { activeMembers: 1, owners: role === 'owner' ? 1 : 0 } }),
      await audited(plane, 'member.join', { accountId, memberId }, { before: { status }, after: { status: 'active' } }),
    ];
    return { result, changes };
  });

/** Declines an invitation to the person's verified address, of which nothing stays. Throws as {@link acceptInvitation}. */
export const declineInvitation = (plane: ControlPlane, accountId: string, person: Person): Promise<void> =>
  changeAs(plane, 'person', async () => {
    const userId = userOf(plane);
    const invitation = await readInvitation(plane, accountId, person);
    if (!invitation) throw noInvitation(accountId);
    const { memberId } = invitation;
    const member = await readItem<StoredMember>(plane, accountItemKey.member(accountId, memberId));
    if (member?.status !== 'invited') throw new OvertakenError(`Member ${memberId}`);
    const { role, status } = member;
    const changes = [
      verifiedAddress(plane, userId, person),
      deleteItem(plane, {
        key: accountItemKey.member(accountId, memberId),
        what: `Member ${memberId}`,
        seen: { status, role },
      }),
      usedInvitation(plane, invitation, person),
      moveCounts(plane, accountId, { by: { members: -1 } }),
      await audited(plane, 'member.decline', { accountId, memberId }, { before: { role, status }, after: null }),
    ];
    return { result: undefined, changes };
  });

/** The invitation that a person can answer. */
async function readInvitation(
  plane: ControlPlane,
  accountId: string,
  { email, emailVerified }: Person,
): Promise<StoredInvitation | undefined> {
  if (email === undefined || !emailVerified) return undefined;
  const stored = await readItem<StoredInvitation>(plane, accountItemKey.invitation(email, accountId));
  return isAlive(stored, plane.clock.now()) ? stored : undefined;
}

const noInvitation = (accountId: string): ControlPlaneError =>
  notFound(`There is no invitation to account ${accountId}.`);

function userOf({ caller }: ControlPlane): string {
  if (!caller) throw new Error('an operator is not invited');
  return caller.userId;
}

/** That the person is there still, with this address as their own. */
const verified = ({ tables }: ControlPlane, userId: string, { email }: Person) => ({
  TableName: tables.gateway,
  Key: accountItemKey.user(userId),
  ConditionExpression: '#email = :email AND #emailVerified = :true',
  ExpressionAttributeNames: names('email', 'emailVerified'),
  ExpressionAttributeValues: { ':email': email, ':true': true },
});
const anotherAddress = () =>
  new ControlPlaneError('This person has another address by now.', { code: 'CHANGED_MEANWHILE' });

const verifiedAddress = (plane: ControlPlane, userId: string, person: Person): Change => ({
  write: { ConditionCheck: verified(plane, userId, person) },
  refusal: anotherAddress,
});

/** The same, and counts that the person joins an account: who deletes their profile meanwhile looks again. */
function joinedWith(plane: ControlPlane, userId: string, person: Person): Change {
  const { ExpressionAttributeNames, ExpressionAttributeValues, ...condition } = verified(plane, userId, person);
  return {
    write: {
      Update: {
        ...condition,
        UpdateExpression: 'SET #accountsJoined = if_not_exists(#accountsJoined, :zero) + :one',
        ExpressionAttributeNames: { ...ExpressionAttributeNames, ...names('accountsJoined') },
        ExpressionAttributeValues: { ...ExpressionAttributeValues, ':zero': 0, ':one': 1 },
      },
    },
    refusal: anotherAddress,
  };
}

/** Takes an invitation away that is this one and still alive. */
const usedInvitation = (plane: ControlPlane, { accountId, memberId }: StoredInvitation, { email }: Person): Change => ({
  write: {
    Delete: {
      TableName: plane.tables.gateway,
      Key: accountItemKey.invitation(email ?? '', accountId),
      ConditionExpression: '#memberId = :memberId AND #expiresAtMs > :now',
      ExpressionAttributeNames: names('memberId', 'expiresAtMs'),
      ExpressionAttributeValues: { ':memberId': memberId, ':now': plane.clock.now() },
    },
  },
  refusal: () => new OvertakenError(`Member ${memberId}`),
});
