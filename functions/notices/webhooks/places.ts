import type { AccountStore } from '../../accounts/store/account-store.ts';
import { updateUnlessStale } from '../../accounts/store/writes.ts';
import { noticeItemKey } from '../../accounts/store/notice-items.ts';
import { readItem } from '../../shared/store/tables.ts';

/** The attempts of one account that are made at once. So its slow endpoints leave most of the function to others. */
const DELIVERIES_AT_ONCE = 3;
/** Longer than an attempt. After that a place is free again: its attempt has died. */
const TAKEN_MS = 15_000;

/** A place that an attempt holds. */
interface Place {
  readonly name: string;
  readonly untilMs: number;
}

/** Takes one of an account's places. Undefined: all are taken, or another attempt was faster. */
export async function takePlace(store: AccountStore, accountId: string): Promise<Place | undefined> {
  const nowMs = store.clock.now();
  const stored = (await readItem<Record<string, number>>(store, noticeItemKey.places(accountId))) ?? {};
  const all = Array.from({ length: DELIVERIES_AT_ONCE }, (_, i) => `place${i}`);
  const free = all.filter((name) => (stored[name] ?? 0) <= nowMs);
  const name = free[Math.floor(store.random() * free.length)];
  if (name === undefined) return undefined;
  const place = { name, untilMs: nowMs + TAKEN_MS };
  return (await moved(store, accountId, place, stored[name], place.untilMs)) ? place : undefined;
}

/** Frees a place. If it was taken over, its new holder keeps it. */
export async function freePlace(store: AccountStore, accountId: string, place: Place): Promise<void> {
  await moved(store, accountId, place, place.untilMs, 0);
}

const moved = (
  store: AccountStore,
  accountId: string,
  { name }: Place,
  seen: number | undefined,
  next: number,
): Promise<boolean> =>
  updateUnlessStale(store, { key: noticeItemKey.places(accountId), when: { [name]: seen }, set: { [name]: next } });
