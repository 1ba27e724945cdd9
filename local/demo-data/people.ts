import { accountItemKey } from '../../functions/accounts/store/account-items.ts';
import type { AccountStore, Membership } from '../../functions/accounts/store/account-store.ts';
import { asMember, asPerson } from '../../functions/accounts/authority/authority.ts';
import { DEFAULT_LIMITS, type Limits } from '../../functions/accounts/store/limits.ts';
import { readItem } from '../../functions/shared/store/tables.ts';

/** The demo makes its data automatically, so no limits of people apply. */
const NO_LIMITS = Object.fromEntries(
  Object.keys(DEFAULT_LIMITS).map((name) => [name, Number.MAX_SAFE_INTEGER]),
) as unknown as Limits;

/** The account store for a person of the demo. */
export const asDemoPerson = (store: AccountStore, userId: string): AccountStore =>
  asPerson(store, { userId, identityHash: userId, limits: NO_LIMITS });

/** The same as a member of an account. */
export async function asDemoMember(store: AccountStore, userId: string, accountId: string): Promise<AccountStore> {
  const membership = await readItem<Membership>(store, accountItemKey.membership(userId, accountId));
  if (!membership) throw new Error(`the demo person is not in account ${accountId}`);
  return asMember(store, { userId, identityHash: userId, limits: NO_LIMITS }, membership);
}
