import { accountItemKey } from '../store/account-items.ts';
import type { StoredAccount } from './accounts.ts';
import type { AccountStore, Membership } from '../store/account-store.ts';
import type { StoredMember } from './stored-members.ts';
import { itemKey } from '../../shared/store/items.ts';
import { readBatches } from '../../shared/store/tables.ts';

/** The number of accounts that a person is shown. */
export const MAX_SHOWN = 50;

/** The first fifty of an iteration. */
export async function firstOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const first: T[] = [];
  for await (const item of items) {
    if (first.push(item) === MAX_SHOWN) break;
  }
  return first;
}

/** Adds open accounts and members, in one round trip. Omits entries whose account or member does not exist any more. */
export async function withAccounts<T extends Membership>(store: AccountStore, memberships: readonly T[]) {
  const keys = memberships.flatMap(({ accountId, memberId }) => [
    itemKey.account(accountId),
    accountItemKey.member(accountId, memberId),
  ]);
  const items = await readBatches(store, keys);
  return memberships.flatMap((membership, i) => {
    const [account, member] = items.slice(2 * i) as [StoredAccount?, StoredMember?];
    return account && account.status !== 'closed' && member ? [{ membership, account, member }] : [];
  });
}

/** As {@link withAccounts}, without members that are not this person: a wrong pointer could name one. */
export async function withOwnAccounts(store: AccountStore, userId: string, memberships: readonly Membership[]) {
  const found = await withAccounts(store, memberships);
  return found.filter(({ member }) => member.userId === userId);
}
