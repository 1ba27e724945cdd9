import { NO_ITEM, putUnlessStale } from '../accounts/store/writes.ts';
import { noticeItemKey } from '../accounts/store/notice-items.ts';
import { isoTime, MS_PER_DAY, ttlAt } from '../shared/time.ts';
import { readTogether } from '../shared/store/tables.ts';
import type { AccountStore } from '../accounts/store/account-store.ts';
import type { Marker } from './stream/notice-of.ts';

/**
 * Longer than a period of a quota or a cap, and longer than the days before a key's end. After that no check can find
 * the same threshold again, unless it is of a cap that counts once.
 */
const KEPT_MS = 60 * MS_PER_DAY;

/** A threshold that was reached. It gets one notice. */
export interface Reached extends Omit<Marker, 'at' | 'ttl' | 'superseded'> {
  /**
   * Identifies it within its account, such as `QUOTA#2026-11#<project>#80#10000`. It is put once, so there is one
   * notice.
   */
  readonly position: string;
  /** It is kept for ever: what it tells of never begins again. */
  readonly isKept?: true;
}

/**
 * Puts a marker for each threshold, once, however many checks find it. The stream then passes each new marker to the
 * notices function. If one check finds several thresholds, only the last one gets a notice, so pass the lowest first.
 *
 * The lower markers are put first. If the process dies in between, the next check puts the rest. A slow check of an
 * earlier state finds its marker already, and makes no notice of 80 % after that of 100 %.
 */
export async function markReached(store: AccountStore, reached: readonly Reached[]): Promise<void> {
  const keys = reached.map(({ accountId, position }) => noticeItemKey.marker(accountId, position));
  const marked = await readTogether(store, keys);
  const nowMs = store.clock.now();
  for (const [i, { position, isKept, ...told }] of reached.entries()) {
    if (marked[i] !== undefined) continue;
    const marker: Marker = {
      ...told,
      at: isoTime(nowMs),
      ...(i < reached.length - 1 && { superseded: true }),
      ...(!isKept && { ttl: ttlAt(nowMs + KEPT_MS) }),
    };
    // Else a parallel check has put it already.
    await putUnlessStale(store, { ...noticeItemKey.marker(told.accountId, position), ...marker }, NO_ITEM);
  }
}
