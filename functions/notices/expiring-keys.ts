import { accountItemKey } from '../accounts/account-items.ts';
import { readActiveKeys, unexpiredKeys, type ActiveKeysItem } from '../accounts/active-keys.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { endOf, locateKey } from '../accounts/stored-keys.ts';
import { isoTime, MS_PER_DAY } from '../core/clock.ts';
import { readItem } from '../store/items.ts';
import { markReached } from './markers.ts';

/** A key is told of this number of days before its end. The largest comes first. */
const DAYS_BEFORE = [7, 1] as const;
const [MOST_DAYS] = DAYS_BEFORE;

/**
 * Tells of the keys of a project that will expire. A key that was made for no more than that number of days is not told
 * of: its maker knows. A replaced key is not among the active keys, since its successor is there.
 */
export async function lookAtExpiries(store: AccountStore, accountId: string, projectId: string): Promise<void> {
  const nowMs = store.clock.now();
  for (const [keyId, expiresAtMs] of Object.entries(await readExpiries(store, projectId))) {
    if (expiresAtMs === 0 || expiresAtMs - nowMs > MOST_DAYS * MS_PER_DAY) continue;
    const key = await locateKey(store, projectId, keyId);
    // The key was revoked or got another end after the project's item was read. The run of the next day decides.
    if (!key || endOf(key) !== expiresAtMs) continue;
    const madeForMs = expiresAtMs - Date.parse(key.createdAt);
    const expiresAt = isoTime(expiresAtMs);
    const reached = DAYS_BEFORE.filter(
      (days) => expiresAtMs - nowMs <= days * MS_PER_DAY && madeForMs > days * MS_PER_DAY,
    );
    await markReached(
      store,
      reached.map((days) => ({
        position: ['EXPIRY', keyId, expiresAt, days].join('#'),
        type: 'key.expiring',
        accountId,
        projectId,
        keyId,
        data: { expiresAt, days },
      })),
    );
  }
}

/** When each working key that was not replaced expires, by key id, in epoch milliseconds. 0: never. */
export async function readExpiries(store: AccountStore, projectId: string): Promise<ActiveKeysItem['keys']> {
  const active = await readItem<ActiveKeysItem>(store, accountItemKey.activeKeys(projectId));
  // Older projects have no such item. Their keys are read.
  return unexpiredKeys(active?.keys ?? (await readActiveKeys(store, projectId)), store.clock.now());
}
