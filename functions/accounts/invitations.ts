import { isoTime, MS_PER_DAY } from '../core/clock.ts';
import { generateMemberId } from '../core/ids.ts';
import { assertCounted, moveCounts, noSuchAccount, accountRefusal, type AccountCounts } from './account-counts.ts';
import { accountItemKey, foldedAddress } from './account-items.ts';
import { audited } from './audit.ts';
import { changeAs, doneBefore, isWithin, create } from './changes.ts';
import type { Change, AccountStore, StoredItem } from './account-store.ts';
import { RefusedError, StaleError } from './refusals.ts';
import { creationOf, markedBy, orRepeated, repeatOf, unlessRepeated } from './derived-ids.ts';
import { deleteItem } from './conditional-writes.ts';
import { listMembers, type MemberRole, type StoredMember } from './stored-members.ts';
import { readItem, ABSENT, itemKey, names } from '../store/items.ts';

/** How long an invitation can be accepted. */
const INVITATION_MS = 14 * MS_PER_DAY;

/** The invited person and role. */
export interface InvitationDetails {
  readonly email: string;
  readonly role: MemberRole;
  /** The name until the provider gives one. */
  readonly name?: string;
}

/** An invitation as stored, under its address. The role is in the member's item, because it may change meanwhile. */
export interface StoredInvitation {
  readonly accountId: string;
  readonly memberId: string;
  /** Name or address of the inviter, or `operator`. */
  readonly invitedBy: string;
  readonly expiresAtMs: number;
}

/**
 * Invites an address to an account and returns the id of the new member. People need the role owner. A repeat under one
 * Idempotency-Key returns the same id and invites nobody again, also when the member is gone. An expired invitation is
 * replaced. Throws `RefusedError` for an unknown account, and for an address that is a member's or is invited.
 */
export async function inviteMember(
  store: AccountStore,
  accountId: string,
  { email, role, name }: InvitationDetails,
  idempotencyKey?: string,
): Promise<string> {
  const asked = await creationOf(store, ['member', accountId], { email, role }, idempotencyKey);
  const memberId = generateMemberId(asked.ids);
  const at = accountItemKey.invitation(email, accountId);
  // A member who has left or declined has no other item.
  const made = asked.fingerprint === undefined ? undefined : accountItemKey.invited(accountId, memberId);
  const invitation = changeAs(store, 'owner', async () => {
    const nowMs = store.clock.now();
    // Read before the members, and not in parallel: a different count then means a change in between, or a wrong count.
    const account = await readItem<StoredItem & AccountCounts>(store, itemKey.account(accountId));
    const refusal = accountRefusal(store, accountId, isWithin(store, accountId) ? account : undefined);
    if (!account || refusal) throw refusal ?? noSuchAccount(accountId);
    const [earlier, members, before] = await Promise.all([
      readItem<StoredInvitation>(store, at),
      Array.fromAsync(listMembers(store, accountId)),
      made && readItem<StoredItem>(store, made),
    ]);
    const same = members.find(
      (member) => member.email !== null && foldedAddress(member.email) === foldedAddress(email),
    );
    if (before || same?.memberId === memberId) throw repeatOf(asked, before);
    if (same && (same.status === 'active' || isAlive(earlier, nowMs))) {
      const line = `Member ${same.memberId} has this e-mail address already.`;
      throw new RefusedError(line, { code: 'ALREADY_MEMBER' });
    }
    const activeMembers = members.filter(({ status }) => status === 'active').length;
    assertCounted(store, accountId, account, { activeMembers });
    const inviter = members.find((member) => member.memberId === store.caller?.membership?.memberId);
    const member: StoredMember = {
      memberId,
      email,
      role,
      status: 'invited',
      createdAt: isoTime(nowMs),
      ...(name !== undefined && { name }),
    };
    const stored: StoredInvitation = {
      accountId,
      memberId,
      expiresAtMs: nowMs + INVITATION_MS,
      invitedBy: store.caller ? (inviter?.name ?? inviter?.email ?? 'an owner') : 'operator',
    };
    const changes = [
      ...(made ? [create(store, { ...made, ...markedBy(asked) }, unlessRepeated(asked))] : []),
      create(store, { ...accountItemKey.member(accountId, memberId), ...member }),
      // Before the counts, so that an address that is invited already gets that refusal also in a full account.
      {
        write: {
          Put: {
            TableName: store.tables.gateway,
            Item: { ...at, ...stored },
            ConditionExpression: `${ABSENT} OR #expiresAtMs <= :now`,
            ExpressionAttributeNames: names('expiresAtMs'),
            ExpressionAttributeValues: { ':now': nowMs },
          },
        },
        refusal: () => new StaleError(`The team of account ${accountId}`),
      },
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
  return orRepeated(invitation, () => doneBefore(store, 'owner', memberId));
}

/** Whether an invitation can still be accepted. */
export const isAlive = (invitation: StoredInvitation | undefined, nowMs: number): invitation is StoredInvitation =>
  invitation !== undefined && nowMs < invitation.expiresAtMs;

/** Deletes an invitation, if it is this member's. */
export const invitationEnd = (
  { tables }: AccountStore,
  accountId: string,
  email: string,
  memberId: string,
): Change => ({
  write: {
    Delete: {
      TableName: tables.gateway,
      Key: accountItemKey.invitation(email, accountId),
      ConditionExpression: `${ABSENT} OR #memberId = :memberId`,
      ExpressionAttributeNames: names('memberId'),
      ExpressionAttributeValues: { ':memberId': memberId },
    },
  },
  refusal: () => new StaleError(`Member ${memberId}`),
});

async function withoutExpired(store: AccountStore, accountId: string, member: StoredMember): Promise<Change[]> {
  const { memberId, role, status } = member;
  const before = { role, status: 'invited' };
  return [
    deleteItem(store, {
      key: accountItemKey.member(accountId, memberId),
      what: `Member ${memberId}`,
      seen: { role, status },
    }),
    await audited(store, 'member.remove', { accountId, memberId }, { before, after: null }),
  ];
}
