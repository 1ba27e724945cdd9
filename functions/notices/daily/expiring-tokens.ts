import type { AccountStore } from '../../accounts/account-store.ts';
import { readActive, unexpired } from '../../accounts/tokens/active-tokens.ts';
import { isoTime, MS_PER_DAY } from '../../shared/rules/clock.ts';
import type { NoticeThresholds } from '../../accounts/team/notice-thresholds.ts';
import { markReached } from '../markers.ts';

/**
 * Makes the notices of an account's management tokens that will expire, these days before. A token whose whole lifetime
 * is not longer than that number of days gets no notice, as a key.
 */
export async function checkTokens(
  store: AccountStore,
  accountId: string,
  daysBefore: NoticeThresholds['days'],
): Promise<void> {
  const nowMs = store.clock.now();
  const tokens = (await readActive(store, accountId)) ?? {};
  for (const [tokenId, { expiresAtMs, createdAt }] of Object.entries(unexpired(tokens, nowMs))) {
    const lifetimeMs = expiresAtMs - Date.parse(createdAt);
    const reached = daysBefore.filter(
      (days) => expiresAtMs - nowMs <= days * MS_PER_DAY && lifetimeMs > days * MS_PER_DAY,
    );
    if (reached.length === 0) continue;
    const expiresAt = isoTime(expiresAtMs);
    await markReached(
      store,
      reached.map((days) => ({
        position: ['TOKEN-EXPIRY', tokenId, days].join('#'),
        type: 'token.expiring',
        accountId,
        tokenId,
        data: { expiresAt, days },
      })),
    );
  }
}
