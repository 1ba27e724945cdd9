import { isoTime, MS_PER_DAY, MS_PER_HOUR, ttlAt } from '../../shared/time.ts';
import { generateDeliveryId } from '../../shared/ids.ts';
import type { AccountStore } from '../store/account-store.ts';
import { putUnlessStale } from '../store/writes.ts';
import { noticeItemKey } from '../store/notice-items.ts';
import { RefusedError } from '../store/refusals.ts';

/**
 * Sent mails are remembered for eight days. Older notices could be told twice. The hour is for a command that asked for
 * seven days, and then for one account after the other.
 */
const MAX_BACK_MS = 7 * MS_PER_DAY + MS_PER_HOUR;

/** A request to tell an account's notices again, as stored. */
export interface RetellRequest {
  readonly accountId: string;
  readonly sinceMs: number;
  readonly ttl: number;
}

/**
 * Has the notices of an account since a time told again, from its audit and its markers. What was told is not told
 * twice. The stream passes the item to the notices function. Throws `RefusedError` for a time of more than seven days
 * ago.
 */
export async function requestRetell(store: AccountStore, accountId: string, sinceMs: number): Promise<void> {
  const nowMs = store.clock.now();
  if (nowMs - sinceMs > MAX_BACK_MS) {
    throw new RefusedError('Notices of the last seven days only can be told again: what was told before is forgotten.');
  }
  const request: RetellRequest = { accountId, sinceMs, ttl: ttlAt(nowMs + MAX_BACK_MS) };
  const id = generateDeliveryId(nowMs, store.randomBytes).slice('dlv_'.length);
  await putUnlessStale(store, { ...noticeItemKey.retell(accountId, `${isoTime(nowMs)}#${id}`), ...request });
}
