import type { AccountStore } from '../../accounts/store/account-store.ts';
import { readKeyNames } from '../../accounts/names.ts';
import { readKeysEnding } from '../../accounts/keys/key-pages.ts';
import { endMsOf } from '../../accounts/keys/listed-keys.ts';
import { keyViews } from '../../accounts/keys/key-views.ts';
import type { StoredKey } from '../../accounts/keys/stored-keys.ts';
import { readOpenProjects } from '../../accounts/projects/stored-projects.ts';
import { MS_PER_DAY } from '../../shared/time.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import { newestFirst, readLatestRefusals, type Refusals } from '../../usage/events/latest-refusals.ts';
import { attentionContract } from '../contract/attention.ts';
import { serve } from '../serve/serve.ts';

/** A key is listed within this time, and this share of its life, before its end: as the page (`portal/keys/key-view.ts`). */
const [ENDING_MS, ENDING_SHARE] = [7 * MS_PER_DAY, 0.2];
/** The number of entries: of one project, and of all. */
const [MOST_KEYS_OF_ONE, MOST_KEYS] = [5, 20];
/** Refusals of this time are shown. */
const REFUSED_MS = 7 * MS_PER_DAY;
const MOST_REFUSALS = 8;
/**
 * The number of requests that are searched for refusals: of one project, and approximately of all projects together. A
 * hundred take five read units at most.
 */
const [MOST_OF_ONE, LEAST_OF_ONE, MOST_OF_ALL] = [100, 20, 1_000];

/** What needs attention in the projects of an account. */
export const attentionRoutes = [
  serve(attentionContract.getAttention, async ({ store, accountId }) => {
    const { projectIds, next } = await readOpenProjects(store, accountId);
    const maxRead = Math.max(LEAST_OF_ONE, Math.min(MOST_OF_ONE, Math.floor(MOST_OF_ALL / projectIds.length)));
    const read = await Promise.allSettled(projectIds.map((id) => readOne(store, accountId, id, maxRead)));
    const found = read.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const failure = read.find((result) => result.status === 'rejected');
    // A project that cannot be read does not hide the others.
    if (found.length === 0 && failure) throw failure.reason;
    const ending = endingFirst(found.flatMap(({ keys }) => keys));
    const views = await keyViews(store, ending);
    return {
      keys: views.map((key, i) => ({ projectId: ending[i]?.projectId ?? '', key })),
      refusals: await withNames(store, newestFirst(found.flatMap(({ refusals }) => refusals))),
      lookedAt: { projects: projectIds.length, requests: maxRead },
      hasMore: next !== undefined,
      unread: projectIds.filter((_, i) => read[i]?.status === 'rejected'),
    };
  }),
];

async function readOne(store: AccountStore, accountId: string, projectId: string, maxRead: number) {
  const nowMs = store.clock.now();
  const [keys, refusals] = await allFulfilled([
    readKeysEnding(store, accountId, projectId, {
      untilMs: nowMs + ENDING_MS,
      limit: MOST_KEYS_OF_ONE,
      isWanted: (key) => isNearItsEnd(key, nowMs),
    }),
    readLatestRefusals(store, projectId, { sinceMs: nowMs - REFUSED_MS, maxRead }),
  ]);
  return { keys, refusals };
}

/**
 * Whether a key is near its end for one that lives so long: nobody needs a warning of a key that was just made for a week,
 * nor of one for a few hours, such as the key of the documentation's console. A key in its grace always is.
 */
function isNearItsEnd({ createdAt, expiresAtMs = Infinity, replacedBy }: StoredKey, nowMs: number): boolean {
  const lifetimeMs = expiresAtMs - Date.parse(createdAt);
  return replacedBy !== undefined || (lifetimeMs >= MS_PER_DAY && expiresAtMs - nowMs <= lifetimeMs * ENDING_SHARE);
}

const endingFirst = (keys: readonly StoredKey[]): StoredKey[] =>
  keys.toSorted((one, other) => endMsOf(one) - endMsOf(other)).slice(0, MOST_KEYS);

async function withNames(store: AccountStore, refusals: readonly Refusals[]) {
  const shown = refusals.slice(0, MOST_REFUSALS);
  const names = await readKeyNames(
    store,
    shown.map(({ event }) => event),
  );
  return shown.map((refused, i) => ({ ...refused, key: names[i] ?? null }));
}
