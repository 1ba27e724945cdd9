import { accountItemKey } from '../store/account-items.ts';
import { memberSubject, membershipState } from './members.ts';
import type { AccountStore } from '../store/account-store.ts';
import { audited } from '../authority/audit.ts';
import { changeAs } from '../authority/authority.ts';
import { unchanged } from '../store/writes.ts';
import { canBeAccepted, type StoredInvitation } from './invitation-items.ts';
import { RefusedError } from '../store/refusals.ts';
import { readMember } from './stored-members.ts';
import { readItem } from '../../shared/store/tables.ts';

/**
 * Sends the mail of an invitation again, within the bounds of mails: the audit event triggers it. Throws `RefusedError`
 * for an unknown member, and without an invitation that can be accepted.
 */
export const resendInvitation = (store: AccountStore, accountId: string, memberId: string): Promise<void> =>
  changeAs(store, 'owner', async () => {
    const member = await readMember(store, accountId, memberId);
    const { email, role, status } = member;
    const invitation =
      email === null || status !== 'invited'
        ? undefined
        : await readItem<StoredInvitation>(store, accountItemKey.invitation(email, accountId));
    if (!canBeAccepted(invitation, store.clock.now()) || invitation.memberId !== memberId) {
      throw new RefusedError(`Member ${memberId} has no invitation that can be accepted: there is nothing to send.`);
    }
    return {
      result: undefined,
      changes: [
        unchanged(store, {
          key: accountItemKey.member(accountId, memberId),
          what: `Member ${memberId}`,
          seen: membershipState(member),
        }),
        await audited(store, 'member.resend', memberSubject(accountId, member), { before: null, after: { role } }),
      ],
    };
  });
