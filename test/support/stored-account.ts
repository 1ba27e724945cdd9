import type { AccountStore } from '../../functions/accounts/account-store.ts';
import { DEFAULT_LIMITS } from '../../functions/accounts/limits.ts';
import { holdTogether } from '../model/accounts/invariants.ts';
import { storedItems, type Item } from '../model/accounts/tables.ts';
import { LIMITS, type World } from '../model/accounts/world.ts';
import type { TestPortal } from './portal.ts';

/**
 * Throws unless what is stored of an account fits together: members and the ways to them, counts, owners, keys and their
 * references, and what its audit adds up to. Answers with its audit's events.
 *
 * @param partitions all that were written to since there is this account
 */
export async function holdAccount({ store, clock }: TestPortal, accountId: string, partitions: Iterable<string>) {
  const { items, audit } = await storedIn(store, clock.nowMs, partitions);
  // People are in other accounts, too.
  const own = Object.entries(items).filter(([name]) => !name.includes(' ACCOUNT#') || name.endsWith(accountId));
  const ofAccount = Object.fromEntries(own);
  const { invitationsPerAddress } = DEFAULT_LIMITS;
  holdTogether({ items: ofAccount, audit }, clock.nowMs, { ...LIMITS, invitationsPerAddress });
  return { ...countsIn(ofAccount, accountId), events: audit[accountId] ?? [] };
}

/** What these partitions of the Gateway table hold. */
export const storedIn = (store: AccountStore, nowMs: number, partitions: Iterable<string>) =>
  storedItems(store, { ...NOTHING, nowMs }, partitions);

/** What an account says that it holds, and what it does. */
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

const NOTHING: World = {
  nowMs: 0,
  people: [],
  sessions: [],
  cookies: {},
  accounts: [],
  projects: [],
  keys: [],
  made: {},
  counts: {},
  remainders: {},
  projectsMade: {},
  invited: {},
  listings: [],
};
