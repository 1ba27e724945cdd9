import { createHash } from 'node:crypto';
import { dayOf, MS_PER_DAY, ttlAt } from '../../shared/time.ts';
import type { AccountStore, Change } from './account-store.ts';
import { putOf } from './writes.ts';
import { noticeItemKey } from './notice-items.ts';

/** The partitions of one day: of what ends, and of what was charged. An account, or a project, is in one of them. */
export const DAY_SHARDS: readonly string[] = Array.from('0123456789abcdef');

/** Until the day of the end is over everywhere, and a run of the day after has looked. */
const KEPT_AFTER_END_MS = 2 * MS_PER_DAY;

/** A key or a management token, and its end. */
export interface Expiring {
  readonly accountId: string;
  /** Undefined: it is a token. */
  readonly projectId?: string | undefined;
  /** Of the key or the token. */
  readonly id: string;
  /** In epoch milliseconds. */
  readonly expiresAtMs: number;
}

/** That something ends on a day: the daily run looks there, and not at what does not end. */
export const expiringItem = ({ accountId, projectId, id, expiresAtMs }: Expiring) => ({
  ...noticeItemKey.expiring(dayOf(expiresAtMs), shardOf(accountId), `${accountId}#${id}`),
  ...(projectId !== undefined && { projectId }),
  expiresAtMs,
  ttl: ttlAt(expiresAtMs + KEPT_AFTER_END_MS),
});

/** The partition of an account or a project. */
export const shardOf = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 1);

/**
 * Notes an end, as a part of the change that makes or moves it. Nobody removes an item: its reader looks at the key or
 * the token, and ignores it when that has no such end.
 */
export const notesEnd = (store: AccountStore, of: Expiring): Change => ({
  write: { Put: putOf(store, expiringItem(of)) },
});
