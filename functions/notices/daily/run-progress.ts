import type { AccountStore } from '../../accounts/store/account-store.ts';
import { updateUnlessStale } from '../../accounts/store/writes.ts';
import { noticeItemKey } from '../../accounts/store/notice-items.ts';
import { MS_PER_DAY, ttlAt } from '../../shared/time.ts';
import type { ItemKey } from '../../shared/store/items.ts';
import { itemsFrom } from '../../shared/store/tables.ts';

/** Longer than a run looks back. */
const KEPT_MS = 40 * MS_PER_DAY;

/** How far the run of a UTC day is. Its parts are named. */
export interface DayRun {
  /** What was handed out. Absent: not everything yet, or the day is complete. */
  readonly parts?: ReadonlySet<string>;
  /** What has ended, perhaps before all was handed out. */
  readonly ended?: ReadonlySet<string>;
  /** All has ended, and it was reported. */
  readonly isComplete?: boolean;
}

/** The runs of the last days, in order. */
export async function readRuns(store: AccountStore): Promise<ReadonlyMap<string, DayRun>> {
  const { sk: prefix } = noticeItemKey.run('');
  const items = await Array.fromAsync(itemsFrom<DayRun & ItemKey>(store, noticeItemKey.run('')));
  return new Map(items.map((item) => [item.sk.slice(prefix.length), item]));
}

const update = (
  store: AccountStore,
  day: string,
  { set = {}, ...rest }: Omit<Parameters<typeof updateUnlessStale>[1], 'key'>,
): Promise<boolean> =>
  updateUnlessStale(store, {
    key: noticeItemKey.run(day),
    set: { ...set, ttl: ttlAt(store.clock.now() + KEPT_MS) },
    ...rest,
  });

/** Stores what was handed out. False: another run of the same time was faster, and its parts count. */
export const noteHandedOut = (store: AccountStore, day: string, parts: ReadonlySet<string>): Promise<boolean> =>
  update(store, day, { when: { parts: undefined, isComplete: undefined }, set: { parts } });

/** Stores that a part has ended. A repeat changes nothing. */
export const noteEnded = (store: AccountStore, day: string, part: string): Promise<boolean> =>
  update(store, day, { add: { ended: new Set([part]) } });

/** Stores that all parts have ended. False: it was stored already. */
export const noteComplete = (store: AccountStore, day: string): Promise<boolean> =>
  update(store, day, {
    when: { isComplete: undefined },
    set: { isComplete: true, parts: undefined, ended: undefined },
  });
