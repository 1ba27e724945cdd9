import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { unlessStale } from '../accounts/conditional-writes.ts';
import { noticeItemKey } from '../accounts/notice-items.ts';
import { isoTime, MS_PER_DAY, MS_PER_SECOND } from '../core/clock.ts';
import { ABSENT, callOptions, readTogether } from '../store/items.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { Marker } from './notice-of.ts';

/** Longer than a quota period and than the days before a key's end. After that nothing can ask for the marker again. */
const KEPT_MS = 60 * MS_PER_DAY;

/** A threshold that was reached. It is told once. */
export interface Reached extends Omit<Marker, 'at' | 'ttl' | 'superseded'> {
  /** Names it within its account, such as `QUOTA#2026-11#<project>#80#10000`. It is put once, so it is told once. */
  readonly position: string;
}

/**
 * Marks each threshold once, whoever sees it and however often. The stream then tells of each new marker. Of several
 * thresholds that were reached at one look only the last is told, so pass the lowest first.
 *
 * The lower markers are put first. If the process dies in between, the next look puts the rest. A slow look at an
 * earlier state finds its marker there, and does not tell of 80 % after 100 %.
 */
export async function markReached(store: AccountStore, reached: readonly Reached[]): Promise<void> {
  const keys = reached.map(({ accountId, position }) => noticeItemKey.marker(accountId, position));
  const marked = await readTogether(store, keys);
  const nowMs = store.clock.now();
  for (const [i, { position, ...told }] of reached.entries()) {
    if (marked[i] !== undefined) continue;
    const marker: Marker = {
      ...told,
      at: isoTime(nowMs),
      ...(i < reached.length - 1 && { superseded: true }),
      ttl: Math.ceil((nowMs + KEPT_MS) / MS_PER_SECOND),
    };
    const Item = { ...noticeItemKey.marker(told.accountId, position), ...marker };
    const put = new PutCommand({ TableName: store.tables.gateway, Item, ConditionExpression: ABSENT });
    // Another look was first. That one tells.
    await unlessStale(store, () => store.client.send(put, callOptions(store)));
  }
}
