import { ADDRESS_RULE, isPlainAddress } from '../../shared/address.ts';
import { isoTime } from '../../shared/time.ts';
import { generateId } from '../../shared/ids.ts';
import { NOTHING_COUNTED } from './account-counts.ts';
import { accountItemKey } from '../store/account-items.ts';
import type { AccountStore } from '../store/account-store.ts';
import { newAccount, type AccountDetails } from './accounts.ts';
import { audited } from '../authority/audit.ts';
import { commit, create } from '../store/transact.ts';
import { newInvitation, putInvitation } from './invitation-items.ts';
import { RefusedError } from '../store/refusals.ts';
import type { StoredMember } from './stored-members.ts';

/**
 * Creates an account and invites its owner, in one transaction. So there is no account without an invited owner. For
 * the platform team. Throws `RefusedError` for an address that is not what it looks like.
 */
export async function createOwnedAccount(
  store: AccountStore,
  details: AccountDetails,
  ownerEmail: string,
): Promise<{ accountId: string; memberId: string }> {
  if (!isPlainAddress(ownerEmail)) throw new RefusedError(ADDRESS_RULE, { publicDetail: ADDRESS_RULE });
  const accountId = generateId('acc', store.randomBytes);
  const memberId = generateId('mem', store.randomBytes);
  const nowMs = store.clock.now();
  const state = { role: 'owner', status: 'invited' } as const;
  const member: StoredMember = { memberId, email: ownerEmail, ...state, createdAt: isoTime(nowMs) };
  await commit(store, [
    ...newAccount(store, accountId, details, { ...NOTHING_COUNTED, members: 1 }),
    create(store, { ...accountItemKey.member(accountId, memberId), ...member }),
    ...putInvitation(
      store,
      ownerEmail,
      newInvitation(nowMs, { accountId, memberId, invitedBy: 'operator', invitedByKind: 'operator' }),
    ),
    await audited(store, 'account.create', { accountId }, { before: null, after: {} }),
    await audited(store, 'member.add', { accountId, memberId }, { before: null, after: state }),
  ]);
  return { accountId, memberId };
}
