import type { AccountStore } from '../../accounts/store/account-store.ts';
import { asSeen, deleteUnlessStale, putUnlessStale } from '../../accounts/store/writes.ts';
import { absentOr, below } from '../../accounts/store/expressions.ts';
import { isoTime, MS_PER_DAY, ttlAt } from '../../shared/time.ts';
import { shorterThan, type Bounds, type IntervalLength, type Intervals } from './intervals.ts';
import { parseTally, tallyText } from './tally-text.ts';
import type { UsageTally } from './tally.ts';
import type { ItemKey } from '../../shared/store/items.ts';
import { queryOf } from '../../shared/store/tables.ts';
import { queryPages, type ItemPage } from '../events/pages.ts';

/** Parts are used only for hours that are not closed yet. */
const PART_RETENTION_MS = 2 * MS_PER_DAY;
/** The length of the time in a sort key: `2026-11-21`, `2026-11-21T09`, `2026-11-21T09:05`. */
const TIME_CHARACTERS = { DAY: 10, HOUR: 13, PART: 16 } as const;

/** The partition of a project's stored sums. */
export const rollupPartition = (projectId: string): string => `ROLLUP#${projectId}`;

const sortKey = ({ kind }: IntervalLength, epochMs: number): string =>
  `${kind}#${isoTime(epochMs).slice(0, TIME_CHARACTERS[kind])}`;

/** The stored sum of one closed interval: of all its events, or of the first ones. */
export interface StoredRollup extends ItemKey {
  /** Made by `tallyText`, read by {@link sumOf}. */
  readonly tally?: string;
  /**
   * Every event from the beginning of the interval up to and including this sort key of the usage table is counted. For
   * a complete sum it is the end of the interval as an ISO time. If the interval and those after it have no events, it
   * is the end of the last of these. Everything before it is closed, so this count is final.
   */
  readonly upTo: string;
}

/**
 * The sum in a stored item; undefined: it has no valid sum or position, for example after a manual change. It then
 * counts as absent.
 */
export const sumOf = ({ tally, upTo }: StoredRollup): UsageTally | undefined =>
  typeof (upTo as unknown) === 'string' ? parseTally(tally) : undefined;

/** An interval and the sum to store. */
export interface Rollup {
  readonly length: IntervalLength;
  readonly startMs: number;
  readonly tally: UsageTally;
  readonly upTo: string;
}

/** `upTo` of a complete sum. */
export const endOf = ({ length, startMs }: Pick<Rollup, 'length' | 'startMs'>): string =>
  isoTime(startMs + length.lengthMs);

/** The time at the beginning of a sort key of the usage table, or a time alone. */
export const timeOf = (position: string): number => Date.parse(position.slice(0, 'YYYY-MM-DDTHH:MM:SS.mmmZ'.length));

/** The beginning of a stored interval. */
export function startOfRollup({ sk }: ItemKey): number {
  const time = sk.slice(sk.indexOf('#') + 1);
  // Completed to a full time.
  return Date.parse(`${time}${'T00:00Z'.slice(time.length - TIME_CHARACTERS.DAY)}`);
}

/** The stored sums of consecutive intervals, in order. The next page is read when the iteration needs it. */
export const rollupPages = (
  store: AccountStore,
  projectId: string,
  { length, sinceMs, untilMs }: Intervals,
  ConsistentRead = true,
): AsyncGenerator<ItemPage<StoredRollup>> =>
  queryPages(store, {
    ...queryOf(store.tables.gateway, rollupPartition(projectId), {
      since: sortKey(length, sinceMs),
      until: sortKey(length, untilMs - length.lengthMs),
    }),
    ConsistentRead,
  });

/** All stored sums of shorter intervals in a span; its bounds are whole intervals of the longer length. */
export async function readShorter(
  store: AccountStore,
  projectId: string,
  length: IntervalLength,
  { sinceMs, untilMs }: Bounds,
): Promise<StoredRollup[]> {
  const kept = shorterThan(length).map(async (shorter) => {
    const found: StoredRollup[] = [];
    const pages = rollupPages(store, projectId, { length: shorter, sinceMs, untilMs });
    for await (const { items } of pages) found.push(...items);
    return found;
  });
  return (await Promise.all(kept)).flat();
}

/**
 * Stores a sum. If two readers sum the same interval, the one that came further is stored, and a complete sum is never
 * replaced: everything counted is closed, so both counted the same. A repeat after a lost answer finds its own sum. An
 * invalid sum is replaced, on condition that it is unchanged: otherwise it would block every later sum.
 */
export async function keepRollup(
  store: AccountStore,
  projectId: string,
  rollup: Rollup,
  usageRetentionDays: number,
): Promise<void> {
  const { length, startMs, tally, upTo } = rollup;
  // As long as the last event that it may contain.
  const keptUntilMs =
    length.kind === 'PART' ? store.clock.now() + PART_RETENTION_MS : timeOf(upTo) + usageRetentionDays * MS_PER_DAY;
  const item = {
    pk: rollupPartition(projectId),
    sk: sortKey(length, startMs),
    tally: tallyText(tally),
    upTo,
    ttl: ttlAt(keptUntilMs),
  } satisfies StoredRollup & { ttl: number };
  const put = (...noSum: readonly StoredRollup[]) =>
    putUnlessStale(store, item, { upTo: absentOr(below(upTo)) }, ...noSum.map((stored) => asSeen(seenOf(stored))));
  const other = (await put()).present as StoredRollup | undefined;
  if (other && !sumOf(other)) await put(other);
}

/** Removes a stored sum, unless it has changed since it was read. */
export async function removeRollup(store: AccountStore, kept: StoredRollup): Promise<void> {
  const { pk, sk } = kept;
  await deleteUnlessStale(store, { key: { pk, sk }, seen: seenOf(kept) });
}

const seenOf = ({ tally, upTo }: StoredRollup) => ({ tally, upTo });
