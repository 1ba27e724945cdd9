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

/** Who is invited, to be what. */
export interface InvitationDetails {
  readonly email: string;
  readonly role: MemberRole;
  /** What people call the person until the provider tells. */
  readonly name?: string;
}

/** An invitation as stored, under its address. The role is at the member, who may get another one meanwhile. */
export interface StoredInvitation {
  readonly accountId: string;
  readonly memberId: string;
  /** Name or address of who invited, or `operator`. */
  readonly invitedBy: string;
  readonly expiresAtMs: number;
}

/**
 * Invites an address to an account and returns the id of the member-to-be; of persons an owner may, and a repeat under one
 * Idempotency-Key returns the same id and invites nobody anew, whatever has become of the member. An invitation that has
 * expired is replaced. Throws `RefusedError` for an unknown account, and for an address that is a member's or is
 * invited.
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
  // Who has left or declined since has no item that would tell.
  const made = asked.fingerprint === undefined ? undefined : accountItemKey.invited(accountId, memberId);
  const invitation = changeAs(store, 'owner', async () => {
    const nowMs = store.clock.now();
    // Before the members, not beside them: a count that differs then has moved since, or is wrong.
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
      // Before the counts: who is invited already is told so where the account is full, too.
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
        // Who joins or leaves has an address too.
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

/** Takes an invitation back, if it is this member's and still there. */
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
