import type { AccountStore } from '../../functions/accounts/account-store.ts';
import { DEFAULT_LIMITS } from '../../functions/accounts/limits.ts';
import { holdTogether } from '../model/accounts/invariants.ts';
import { storedItems, type Item } from '../model/accounts/tables.ts';
import { emptyWorld, LIMITS } from '../model/accounts/world.ts';
import type { TestPortal } from './portal.ts';

/**
 * Throws unless the stored items of an account are consistent: members and their pointers, counts, owners, keys and
 * their references, and the sums of its audit. Returns the events of its audit.
 *
 * @param partitions all partitions that were written to since the account exists
 */
export async function holdAccount({ store, clock }: TestPortal, accountId: string, partitions: Iterable<string>) {
  const { items, audit } = await storedIn(store, clock.nowMs, partitions);
  // People are also in other accounts.
  const own = Object.entries(items).filter(([name]) => !name.includes(' ACCOUNT#') || name.endsWith(accountId));
  const ofAccount = Object.fromEntries(own);
  const { invitationsPerAddress } = DEFAULT_LIMITS;
  holdTogether({ items: ofAccount, audit }, clock.nowMs, { ...LIMITS, invitationsPerAddress });
  return { ...countsIn(ofAccount, accountId), events: audit[accountId] ?? [] };
}

/** The items in these partitions of the Gateway table. */
export const storedIn = (store: AccountStore, nowMs: number, partitions: Iterable<string>) =>
  storedItems(store, emptyWorld(nowMs), partitions);

/** The stored counts of an account and its actual counts. */
export function countsIn(items: Readonly<Record<string, Item>>, accountId: string) {
  const { members, activeMembers, owners, projects, status } = items[`ACCOUNT#${accountId} ACCOUNT`] ?? {};
  const in_ = (sk: string) =>
    Object.entries(items).flatMap(([name, item]) => (name.startsWith(`ACCOUNT#${accountId} ${sk}`) ? [item] : []));
  const active = in_('MEMBER#').filter((member) => member.status === 'active');
  const counted = {
    members: in_('MEMBER#').length,
    activeMembers: active.length,
    owners: active.filter(({ role }) => role === 'owner').length,
    projects: in_('PROJECT#').filter(({ closedAt }) => closedAt === undefined).length,
  };
  return { isClosed: status === 'closed', counts: { members, activeMembers, owners, projects }, counted };
}
