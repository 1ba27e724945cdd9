import { ADDRESS_RULE, foldedAddress, isPlainAddress } from '../../shared/address.ts';
import type { MemberRole } from '../../shared/choices.ts';
import { isoTime } from '../../shared/time.ts';
import { generateId } from '../../shared/ids.ts';
import { assertCounted, moveCounts, noSuchAccount, accountRefusal, type AccountCounts } from './account-counts.ts';
import { accountItemKey } from '../store/account-items.ts';
import { audited } from '../authority/audit.ts';
import { changeAs, doneBefore, maySeeAccount } from '../authority/authority.ts';
import { create } from '../store/transact.ts';
import type { Change, AccountStore, StoredItem } from '../store/account-store.ts';
import { RefusedError, StaleError } from '../store/refusals.ts';
import { creationOf, markedBy, orRepeated, repeatOf, unlessRepeated } from '../store/idempotency.ts';
import { deleteItem } from '../store/writes.ts';
import { canBeAccepted, newInvitation, putInvitation, type StoredInvitation } from './invitation-items.ts';
import { countedInvitation } from './invited-addresses.ts';
import { listMembers, type StoredMember } from './stored-members.ts';
import { itemKey } from '../../shared/store/items.ts';
import { readItem } from '../../shared/store/tables.ts';

/** The invited person and role. */
export interface InvitationDetails {
  readonly email: string;
  readonly role: MemberRole;
  /** The name, until the provider gives one. */
  readonly name?: string;
}

/**
 * Invites an address to an account, and returns the id of the invited member. People need the role owner. A repeat
 * under one Idempotency-Key returns the same id and does not invite again, whatever has become of the member. An
 * expired invitation is replaced. Throws `RefusedError` for an unknown account, above a limit of the inviter, for an
 * address that is a member's or is invited, and for an address that is not what it looks like.
 */
export async function inviteMember(
  store: AccountStore,
  accountId: string,
  { email, role, name }: InvitationDetails,
  idempotencyKey?: string,
): Promise<string> {
  if (!isPlainAddress(email)) throw new RefusedError(ADDRESS_RULE, { publicDetail: ADDRESS_RULE });
  const asked = await creationOf(store, ['member', accountId], { email, role }, idempotencyKey);
  const memberId = generateId('mem', asked.ids);
  const at = accountItemKey.invitation(email, accountId);
  // A member who has left or declined has no other item.
  const made = asked.fingerprint === undefined ? undefined : accountItemKey.invited(accountId, memberId);
  const inviting = changeAs(store, 'owner', async () => {
    const nowMs = store.clock.now();
    // Read before the members, and not in parallel: a different count then means a change in between, or a wrong count.
    const account = await readItem<StoredItem & AccountCounts>(store, itemKey.account(accountId));
    const refusal = accountRefusal(store, accountId, maySeeAccount(store, accountId) ? account : undefined);
    if (!account || refusal) throw refusal ?? noSuchAccount(accountId);
    const [earlier, members, before] = await Promise.all([
      readItem<StoredInvitation>(store, at),
      Array.fromAsync(listMembers(store, accountId)),
      made && readItem<StoredItem>(store, made),
    ]);
    const same = members.find(
      (member) => member.email !== null && foldedAddress(member.email) === foldedAddress(email),
    );
    if (before) throw repeatOf(asked, before);
    // The same request was carried out between these reads.
    if (same?.memberId === memberId) throw new StaleError(`Member ${memberId}`);
    if (same && (same.status === 'active' || canBeAccepted(earlier, nowMs))) {
      const line = `Member ${same.memberId} has this e-mail address already.`;
      throw new RefusedError(line, { code: 'ALREADY_MEMBER' });
    }
    const activeMembers = members.filter(({ status }) => status === 'active').length;
    assertCounted(store, accountId, account, { activeMembers });
    const member: StoredMember = {
      memberId,
      email,
      role,
      status: 'invited',
      createdAt: isoTime(nowMs),
      ...(name !== undefined && { name }),
    };
    const invitation = newInvitation(nowMs, { accountId, memberId, ...inviterOf(store, members) });
    const changes = [
      ...(made ? [create(store, { ...made, ...markedBy(asked) }, unlessRepeated(asked))] : []),
      create(store, { ...accountItemKey.member(accountId, memberId), ...member }),
      // Before the counts, so that an invited address gets that refusal also in a full account.
      ...putInvitation(store, email, invitation),
      ...(await countedInvitation(store, email)),
      moveCounts(store, accountId, {
        by: { members: same ? 0 : 1 },
        // A person who joins or leaves has an address too.
        seen: { activeMembers },
      }),
      ...(same ? await withoutExpired(store, accountId, same) : []),
      await audited(store, 'member.add', { accountId, memberId }, { before: null, after: { role, status: 'invited' } }),
    ];
    return { result: memberId, changes };
  });
  return orRepeated(inviting, () => doneBefore(store, 'owner', memberId));
}

/** Who invites, as the invitation tells it. */
function inviterOf(
  { caller }: AccountStore,
  members: readonly StoredMember[],
): Pick<StoredInvitation, 'invitedBy' | 'invitedByKind' | 'inviterId'> {
  if (!caller) return { invitedBy: 'operator', invitedByKind: 'operator' };
  const inviter = members.find(({ memberId }) => memberId === caller.membership?.memberId);
  return {
    invitedBy: inviter?.name ?? inviter?.email ?? 'an owner',
    invitedByKind: 'person',
    inviterId: caller.userId,
  };
}

/** The entry in the list of the address has expired too, and is deleted by TTL. */
async function withoutExpired(store: AccountStore, accountId: string, member: StoredMember): Promise<Change[]> {
  const { memberId, role, status } = member;
  const before = { role, status: 'invited' };
  return [
    deleteItem(store, {
      key: accountItemKey.member(accountId, memberId),
      what: `Member ${memberId}`,
      seen: { role, status },
    }),
    await audited(store, 'member.withdraw', { accountId, memberId }, { before, after: null }),
  ];
}
