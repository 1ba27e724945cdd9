import { accountItemKey } from '../../accounts/account-items.ts';
import { unexpiredKeys, type ActiveKeysItem } from '../../accounts/keys/active-keys.ts';
import type { AccountStore } from '../../accounts/account-store.ts';
import { worksUntilMs, locateKey } from '../../accounts/keys/stored-keys.ts';
import { isoTime, MS_PER_DAY } from '../../shared/rules/clock.ts';
import { noticeItemKey } from '../../accounts/notice-items.ts';
import { readBatches, readItem } from '../../shared/store/tables.ts';
import type { NoticeThresholds } from '../../accounts/team/notice-thresholds.ts';
import { markReached } from '../markers.ts';

/**
 * Makes the notices of a project's keys that will expire, these days before, the most first. A key whose whole lifetime
 * is not longer than that number of days gets no notice, because its creator knows its end. A replaced key is not among
 * the active keys: its successor is.
 */
export async function checkExpiries(
  store: AccountStore,
  accountId: string,
  projectId: string,
  daysBefore: NoticeThresholds['days'],
): Promise<void> {
  const [mostDays = 0] = daysBefore;
  const nowMs = store.clock.now();
  const ending = Object.entries(await readExpiries(store, projectId)).filter(
    ([, expiresAtMs]) => expiresAtMs !== 0 && expiresAtMs - nowMs <= mostDays * MS_PER_DAY,
  );
  // What has its marker is skipped: most keys were told of on an earlier day.
  const last = ending.map(([keyId, expiresAtMs]) => {
    const days = daysBefore.findLast((some) => expiresAtMs - nowMs <= some * MS_PER_DAY) ?? mostDays;
    return noticeItemKey.marker(accountId, positionOf(keyId, expiresAtMs, days));
  });
  const marked = await readBatches(store, last);
  for (const [i, [keyId, expiresAtMs]] of ending.entries()) {
    if (marked[i] !== undefined) continue;
    const key = await locateKey(store, projectId, keyId);
    // The key was revoked or got another end after the project's item was read. The next day's run checks it again.
    if (!key || worksUntilMs(key) !== expiresAtMs) continue;
    const madeForMs = expiresAtMs - Date.parse(key.createdAt);
    const expiresAt = isoTime(expiresAtMs);
    const reached = daysBefore.filter(
      (days) => expiresAtMs - nowMs <= days * MS_PER_DAY && madeForMs > days * MS_PER_DAY,
    );
    await markReached(
      store,
      reached.map((days) => ({
        position: positionOf(keyId, expiresAtMs, days),
        type: 'key.expiring',
        accountId,
        projectId,
        keyId,
        data: { expiresAt, days },
      })),
    );
  }
}

const positionOf = (keyId: string, expiresAtMs: number, days: number): string =>
  ['EXPIRY', keyId, isoTime(expiresAtMs), days].join('#');

/** The expiry of each active key, by key id, in epoch milliseconds. 0: never. */
export async function readExpiries(store: AccountStore, projectId: string): Promise<ActiveKeysItem['keys']> {
  const active = await readItem<ActiveKeysItem>(store, accountItemKey.activeKeys(projectId));
  return unexpiredKeys(active?.keys ?? {}, store.clock.now());
}
