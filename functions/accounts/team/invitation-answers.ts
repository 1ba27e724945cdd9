import { moveCounts, accountRefusal } from './account-counts.ts';
import { accountItemKey } from '../store/account-items.ts';
import { audited } from '../authority/audit.ts';
import { changeAs } from '../authority/authority.ts';
import { create } from '../store/transact.ts';
import type { Change, AccountStore, Membership, StoredItem } from '../store/account-store.ts';
import { above, type Conditions } from '../store/expressions.ts';
import { RefusedError, notFound, StaleError } from '../store/refusals.ts';
import { conditionOf, deleteItem, replaceAttributes, updateOf } from '../store/writes.ts';
import { canBeAccepted, unlistInvitation, type StoredInvitation } from './invitation-items.ts';
import type { OwnAccount, Person } from './own-accounts.ts';
import type { StoredMember } from './stored-members.ts';
import { itemKey } from '../../shared/store/items.ts';
import { readItem } from '../../shared/store/tables.ts';

/**
 * Accepts an invitation to the person's verified address. They are a member from the next request on. A second
 * acceptance changes nothing. Throws `RefusedError` without a valid invitation.
 */
export const acceptInvitation = (
  store: AccountStore,
  accountId: string,
  person: Person,
): Promise<Omit<OwnAccount, 'memberId'>> =>
  changeAs(store, 'person', async () => {
    const userId = userOf(store);
    const [account, invitation] = await Promise.all([
      readItem<StoredItem & { name: string }>(store, itemKey.account(accountId)),
      readInvitation(store, accountId, person),
    ]);
    const readMember = (memberId: string) => readItem<StoredMember>(store, accountItemKey.member(accountId, memberId));
    // Read after the invitation, and not in parallel: one that was accepted in between is found as a membership.
    const [membership, invited] = await Promise.all([
      readItem<Membership>(store, accountItemKey.membership(userId, accountId)),
      invitation && readMember(invitation.memberId),
    ]);
    const memberId = (invitation ?? membership)?.memberId;
    if (!account || memberId === undefined) throw noInvitation(accountId);
    const refusal = accountRefusal(store, accountId, account);
    if (refusal) throw refusal;
    const member = invitation ? invited : await readMember(memberId);
    if (!member) throw new StaleError(`The invitation to account ${accountId}`);
    const { role, status } = member;
    const result = { accountId, name: account.name, role };
    if (!invitation) return { result, changes: [] };
    if (membership && membership.memberId !== memberId) {
      const publicDetail = 'You are a member of this account already. Decline this invitation.';
      throw new RefusedError('This person is a member already.', { code: 'ALREADY_MEMBER', publicDetail });
    }
    if (status !== 'invited') throw new StaleError(`Member ${memberId}`);

    const after = { status: 'active', userId, email: person.email, name: person.name ?? member.name };
    const changes = [
      joinedWith(store, userId, person),
      replaceAttributes(store, {
        key: accountItemKey.member(accountId, memberId),
        what: `Member ${memberId}`,
        seen: { status, role, userId: undefined },
        after,
      }),
      create(
        store,
        { ...accountItemKey.membership(userId, accountId), accountId, memberId },
        () => new StaleError(`Member ${memberId}`),
      ),
      usedInvitation(store, invitation, person),
      ...unlistInvitation(store, accountId, member),
      moveCounts(store, accountId, { by: { activeMembers: 1, owners: role === 'owner' ? 1 : 0 } }),
      await audited(store, 'member.join', { accountId, memberId }, { before: { status }, after: { status: 'active' } }),
    ];
    return { result, changes };
  });

/** Declines an invitation to the person's verified address, and deletes it. Throws as {@link acceptInvitation}. */
export const declineInvitation = (store: AccountStore, accountId: string, person: Person): Promise<void> =>
  changeAs(store, 'person', async () => {
    const userId = userOf(store);
    const invitation = await readInvitation(store, accountId, person);
    if (!invitation) throw noInvitation(accountId);
    const { memberId } = invitation;
    const member = await readItem<StoredMember>(store, accountItemKey.member(accountId, memberId));
    if (member?.status !== 'invited') throw new StaleError(`Member ${memberId}`);
    const { role, status } = member;
    const changes = [
      verifiedAddress(store, userId, person),
      deleteItem(store, {
        key: accountItemKey.member(accountId, memberId),
        what: `Member ${memberId}`,
        seen: { status, role },
      }),
      usedInvitation(store, invitation, person),
      ...unlistInvitation(store, accountId, member),
      moveCounts(store, accountId, { by: { members: -1 } }),
      await audited(store, 'member.decline', { accountId, memberId }, { before: { role, status }, after: null }),
    ];
    return { result: undefined, changes };
  });

/** The invitation that a person can answer. */
async function readInvitation(
  store: AccountStore,
  accountId: string,
  { email, emailVerified }: Person,
): Promise<StoredInvitation | undefined> {
  if (email === undefined || !emailVerified) return undefined;
  const stored = await readItem<StoredInvitation>(store, accountItemKey.invitation(email, accountId));
  return canBeAccepted(stored, store.clock.now()) ? stored : undefined;
}

const noInvitation = (accountId: string): RefusedError => notFound(`There is no invitation to account ${accountId}.`);

function userOf({ caller }: AccountStore): string {
  if (!caller) throw new Error('an operator is not invited');
  return caller.userId;
}

/** The person has this address. */
const verified = ({ email }: Person): Conditions => ({ email, emailVerified: true });
const anotherAddress = () => new RefusedError('This person has another address by now.', { code: 'CHANGED_MEANWHILE' });

const verifiedAddress = (store: AccountStore, userId: string, person: Person): Change => ({
  write: { ConditionCheck: conditionOf(store, accountItemKey.user(userId), verified(person)) },
  refusal: anotherAddress,
});

/**
 * The same, and counts that the person joins an account. So a deletion of the profile at the same time becomes stale.
 */
const joinedWith = (store: AccountStore, userId: string, person: Person): Change => ({
  write: {
    Update: updateOf(store, {
      key: accountItemKey.user(userId),
      when: verified(person),
      add: { accountsJoined: 1 },
    }),
  },
  refusal: anotherAddress,
});

/** Deletes this invitation, if it is still valid. */
const usedInvitation = (store: AccountStore, { accountId, memberId }: StoredInvitation, { email }: Person): Change => ({
  write: {
    Delete: conditionOf(store, accountItemKey.invitation(email ?? '', accountId), {
      memberId,
      expiresAtMs: above(store.clock.now()),
    }),
  },
  refusal: () => new StaleError(`Member ${memberId}`),
});
