import { listAccounts } from '../../accounts/team/accounts.ts';
import type { AccountStore, StoredItem } from '../../accounts/store/account-store.ts';
import { commit, retryWhileStale } from '../../accounts/store/transact.ts';
import { NO_ITEM, putUnlessStale, unchanged, updateUnlessStale } from '../../accounts/store/writes.ts';
import { expiringItem, type Expiring } from '../../accounts/store/expiring.ts';
import { noticeItemKey } from '../../accounts/store/notice-items.ts';
import { listOpenProjects } from '../../accounts/projects/stored-projects.ts';
import { notesDays } from '../../accounts/team/notice-thresholds.ts';
import { readActive, unexpired } from '../../accounts/tokens/active-tokens.ts';
import { dayOf, MS_PER_DAY, ttlAt } from '../../shared/time.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import { itemKey } from '../../shared/store/items.ts';
import { readItem } from '../../shared/store/tables.ts';
import type { NoticesDependencies, TimeLeft } from '../dependencies.ts';
import { unlessUnreadable } from '../failures.ts';
import { readExpiries } from '../cap-keys.ts';

/** Accounts at once, after which it notes how far it is, and items of an account at once. */
const AT_ONCE = 25;
/** Enough for these accounts, and to hand out the day. */
const LEAST_TIME_MS = 60_000;
const KEPT_MS = 40 * MS_PER_DAY;

/** How far it is. */
interface Progress {
  /** The last account of this time. Absent: none yet. */
  readonly after?: string;
  /** The UTC day on which it came to the end. Absent: it never did. */
  readonly doneOn?: string;
}

/**
 * Writes the items of what the version before has made, which wrote none: each UTC day again, since that version may
 * have run in between, after a rollback or in an operator's older CLI. The next release removes this file. False: it
 * never came to the end, so nothing can be handed out yet.
 */
export async function backfill({ store, telemetry }: NoticesDependencies, timeLeft: TimeLeft): Promise<boolean> {
  const nowMs = store.clock.now();
  const day = dayOf(nowMs);
  const key = noticeItemKey.backfill();
  const { after = '', doneOn } = (await readItem<Progress>(store, key)) ?? {};
  if (doneOn === day) return true;
  // Else a parallel one has come to the end, and this one repeats what it did.
  const note = (set: { readonly [Name in keyof Progress]: Progress[Name] | undefined }) =>
    updateUnlessStale(store, { key, when: { doneOn }, set: { ...set, ttl: ttlAt(nowMs + KEPT_MS) } });
  let some: string[] = [];
  const write = async (): Promise<void> => {
    const write = (accountId: string) =>
      unlessUnreadable(telemetry, 'an account', { accountId }, () => backfillAccount(store, accountId));
    await allFulfilled(some.map(write));
    some = [];
  };
  for await (const accountId of listAccounts(store)) {
    if (accountId <= after) continue;
    some.push(accountId);
    if (some.length < AT_ONCE) continue;
    await write();
    await note({ after: accountId });
    if (timeLeft() < LEAST_TIME_MS) return doneOn !== undefined;
  }
  await write();
  await note({ after: undefined, doneOn: day });
  return true;
}

async function backfillAccount(store: AccountStore, accountId: string): Promise<void> {
  await retryWhileStale(store, async () => {
    const key = itemKey.account(accountId);
    const { expiryDays } = (await readItem<StoredItem>(store, key)) ?? {};
    if (typeof expiryDays !== 'string') return;
    const asRead = unchanged(store, { key, what: `Account ${accountId}`, seen: { expiryDays } });
    await commit(store, [asRead, notesDays(store, accountId, expiryDays)]);
  });
  const tokens = unexpired((await readActive(store, accountId)) ?? {}, store.clock.now());
  const ends: Expiring[] = Object.entries(tokens).map(([id, { expiresAtMs }]) => ({ accountId, id, expiresAtMs }));
  for await (const projectId of listOpenProjects(store, accountId)) {
    for (const [id, expiresAtMs] of Object.entries(await readExpiries(store, projectId)))
      if (expiresAtMs !== 0) ends.push({ accountId, projectId, id, expiresAtMs });
  }
  for (let i = 0; i < ends.length; i += AT_ONCE) {
    const some = ends.slice(i, i + AT_ONCE);
    // A change that was made since it was read has put its own, which stays.
    await allFulfilled(some.map((end) => putUnlessStale(store, expiringItem(end), NO_ITEM)));
  }
}
