import { itemKey } from '../../shared/store/items.ts';
import { itemsFrom } from '../../shared/store/tables.ts';
import { accountItemKey } from '../store/account-items.ts';
import type { Change, AccountStore, StoredItem } from '../store/account-store.ts';
import { conditionOf, replaceUnlessStale, SHOWS_PRESENT, updateOf } from '../store/writes.ts';
import { above, below, present, type Conditions } from '../store/expressions.ts';
import { RefusedError, notFound, StaleError, limitReached } from '../store/refusals.ts';

/** The counts of an account, on its own item, so that limits need no list. */
export interface AccountCounts {
  /** Without closed ones. */
  readonly projects: number;
  /** Invited ones included. */
  readonly members: number;
  readonly activeMembers: number;
  /** Active ones only: an invited owner does not count. */
  readonly owners: number;
}
type Count = keyof AccountCounts;

/** The counts of an empty account. */
export const NOTHING_COUNTED: AccountCounts = { projects: 0, members: 0, activeMembers: 0, owners: 0 };
const COUNTS = Object.keys(NOTHING_COUNTED) as Count[];

export interface CountMoves {
  /** The steps; 0 only requires an open account. */
  readonly by: Partial<Record<Count, number>>;
  /** A count that must not have changed, because the change depends on it. */
  readonly seen?: Pick<AccountCounts, 'activeMembers'>;
  /** The member whose role or state changes; the refusal names them. */
  readonly memberId?: string;
}

/**
 * Moves the counts of an account as part of a change: never above a limit of the caller, never below one owner, never
 * of a closed account. An account whose counts were found wrong is counted first.
 */
export function moveCounts(store: AccountStore, accountId: string, { by, seen, memberId = '' }: CountMoves): Change {
  const { limits } = store.caller ?? {};
  const most = { projects: limits?.projectsPerAccount, members: limits?.membersPerAccount };
  const bounds = (['projects', 'members'] as const).flatMap((name) => {
    const limit = most[name];
    return limit !== undefined && (by[name] ?? 0) > 0 ? [{ name, limit }] : [];
  });
  const losesOwner = (by.owners ?? 0) < 0;
  const add = Object.fromEntries(Object.entries(by).filter(([, step]) => step !== 0));
  const key = itemKey.account(accountId);
  const when: Conditions = {
    status: undefined,
    projects: present,
    ...Object.fromEntries(bounds.map(({ name, limit }) => [name, below(limit)])),
    ...(losesOwner && { owners: above(1) }),
    ...seen,
  };
  return {
    write:
      Object.keys(add).length > 0
        ? { Update: { ...updateOf(store, { key, when, add }), ...SHOWS_PRESENT } }
        : { ConditionCheck: { ...conditionOf(store, key, when), ...SHOWS_PRESENT } },
    refusal: (stored) => {
      const refusal = accountRefusal(store, accountId, stored);
      if (refusal) return refusal;
      const full = bounds.find(({ name, limit }) => Number(stored?.[name]) >= limit);
      if (full) {
        const line = `There are ${full.limit} ${full.name} in the account, which is the limit.`;
        return limitReached(line, REMEDIES[full.name]);
      }
      if (losesOwner && Number(stored?.owners) <= 1) return lastOwner(accountId, memberId);
      return new StaleError(`The team of account ${accountId}`);
    },
  };
}

/** Why an account refuses every change; undefined: it does not. */
export function accountRefusal(
  store: AccountStore,
  accountId: string,
  stored: StoredItem | undefined,
): RefusedError | undefined {
  if (!stored) return noSuchAccount(accountId);
  if (stored.status !== undefined) return notFound(`Account ${accountId} is closed.`);
  if (stored.projects !== undefined) return undefined;
  return new StaleError(`Account ${accountId}`, () => countFirst(store, accountId));
}

/**
 * Throws {@link StaleError} if the counts of an account differ from what was listed after reading them. Either
 * something changed in between, or the counts are wrong, for example after a restore. If they are unchanged, the
 * account is counted again first.
 */
export function assertCounted(
  store: AccountStore,
  accountId: string,
  account: AccountCounts,
  listed: Partial<AccountCounts>,
): void {
  if (COUNTS.every((name) => listed[name] === undefined || listed[name] === account[name])) return;
  throw new StaleError(`The team of account ${accountId}`, async () => {
    await forgetCounts(store, accountId, account);
    await countFirst(store, accountId);
  });
}

/**
 * Removes the counts of an account, if they are as read. No change can adjust them until the account is counted again.
 */
const forgetCounts = (store: AccountStore, accountId: string, counts: Partial<AccountCounts>): Promise<void> =>
  replaceUnlessStale(store, {
    key: itemKey.account(accountId),
    seen: Object.fromEntries(COUNTS.map((name) => [name, counts[name]])),
    after: Object.fromEntries(COUNTS.map((name) => [name, undefined])),
  });

/** The refusal of an unknown account. */
export const noSuchAccount = (accountId: string): RefusedError => notFound(`There is no account ${accountId}.`);

const REMEDIES = { projects: 'Close one first.', members: 'Remove one or withdraw an invitation first.' };

const lastOwner = (accountId: string, memberId: string): RefusedError =>
  new RefusedError(`Member ${memberId} is the last owner of account ${accountId}; make another one first.`, {
    code: 'LAST_OWNER',
  });

/** Counts the content of an account without counts. Nothing moves meanwhile: every move needs the counts. */
async function countFirst(store: AccountStore, accountId: string): Promise<void> {
  const [projects, members] = await Promise.all([
    Array.fromAsync(itemsFrom(store, itemKey.accountProject(accountId, ''))),
    Array.fromAsync(itemsFrom(store, accountItemKey.member(accountId, ''))),
  ]);
  const active = members.filter(({ status }) => status === 'active');
  const counts = {
    projects: projects.filter(({ closedAt }) => closedAt === undefined).length,
    members: members.length,
    activeMembers: active.length,
    owners: active.filter(({ role }) => role === 'owner').length,
  } satisfies AccountCounts;
  await replaceUnlessStale(store, {
    key: itemKey.account(accountId),
    seen: { projects: undefined },
    after: counts,
  });
}
