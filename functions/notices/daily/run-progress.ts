import type { AccountStore } from '../../accounts/account-store.ts';
import { updateUnlessStale } from '../../accounts/conditional-writes.ts';
import { absentOr } from '../../accounts/expressions.ts';
import { noticeItemKey } from '../../accounts/notice-items.ts';
import { MS_PER_DAY, ttlAt } from '../../shared/rules/clock.ts';
import { itemsFrom, readItem } from '../../shared/store/tables.ts';

const KEPT_MS = 4 * MS_PER_DAY;
/** Parts whose ends are in one item. A set of so many numbers is written for one write unit. */
const PARTS_AN_ITEM = 100;

/** How far a day's run is handed out. */
export interface HandedOut {
  /** The last account. An empty text: none yet. */
  readonly after: string;
  /** The number of parts so far. */
  readonly parts: number;
  /** Every account was handed out. */
  readonly isAll?: boolean;
  /** Every part has ended, and it was reported. */
  readonly isComplete?: boolean;
}

const ttl = (store: AccountStore): number => ttlAt(store.clock.now() + KEPT_MS);

export const readHandedOut = async (store: AccountStore, day: string): Promise<HandedOut> =>
  (await readItem<HandedOut>(store, noticeItemKey.run(day))) ?? { after: '', parts: 0 };

/** Stores how far a run is. False: a run at the same time was faster, and this one must not go on. */
export const noteHandedOut = (
  store: AccountStore,
  day: string,
  before: HandedOut,
  { after, parts, isAll = false, isComplete = false }: HandedOut,
): Promise<boolean> =>
  updateUnlessStale(store, {
    key: noticeItemKey.run(day),
    when: { parts: before.parts === 0 ? absentOr(0) : before.parts },
    set: { after, parts, isAll, isComplete, ttl: ttl(store) },
  });

/** Stores that a part has ended. A repeat changes nothing. */
export async function noteEnded(store: AccountStore, day: string, part: number): Promise<void> {
  await updateUnlessStale(store, {
    key: noticeItemKey.runParts(day, Math.floor(part / PARTS_AN_ITEM)),
    set: { ttl: ttl(store) },
    add: { ended: new Set([part]) },
  });
}

/** How many parts of a day's run have ended. */
export async function countEnded(store: AccountStore, day: string): Promise<number> {
  let ended = 0;
  for await (const item of itemsFrom(store, noticeItemKey.runParts(day)))
    ended += (item.ended as ReadonlySet<number> | undefined)?.size ?? 0;
  return ended;
}
