import { DEFAULT_LIMITS } from '../../../functions/accounts/store/limits.ts';
import type { TestPortal } from '../portal.ts';
import { holdTogether } from './invariants.ts';
import { storedItems, type Item } from './items.ts';

/**
 * Throws unless the stored items of an account are consistent: members and their pointers, counts, owners, keys and
 * their references, and the sums of its audit. Returns the events of its audit.
 *
 * @param partitions all partitions that were written to since the account exists
 */
export async function holdAccount({ store, clock }: TestPortal, accountId: string, partitions: Iterable<string>) {
  const { items, audit } = await storedItems(store, clock.nowMs, partitions);
  // People are also in other accounts.
  const own = Object.entries(items).filter(([name]) => !name.includes(' ACCOUNT#') || name.endsWith(accountId));
  const ofAccount = Object.fromEntries(own);
  holdTogether({ items: ofAccount, audit }, clock.nowMs, DEFAULT_LIMITS);
  return { ...countsIn(ofAccount, accountId), events: audit[accountId] ?? [] };
}

/** The stored counts of an account and its actual counts. */
function countsIn(items: Readonly<Record<string, Item>>, accountId: string) {
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
