import type { AccountStore } from '../../accounts/store/account-store.ts';
import { isoTime, MS_PER_DAY } from '../../shared/time.ts';
import { FREE_EVENT_RETENTION_DAYS } from '../../shared/request/request-store.ts';
import { DAY, piecesOf, startOf, type Bounds, type IntervalLength, type Intervals } from './intervals.ts';
import { countedEvents, type StoredCountedEvent } from './counted-events.ts';
import type { ItemPage } from '../events/pages.ts';
import { rollupPages, type StoredRollup } from './rollup-items.ts';

/** A question about a project's usage. */
export interface UsageQuestion {
  readonly projectId: string;
  /** Whole buckets, at most up to the end of the current one. */
  readonly span: Bounds;
  /** The length of a bucket. */
  readonly by: IntervalLength;
  /** Only requests with this key. */
  readonly keyId?: string | undefined;
  /**
   * The time of the question. It decides which intervals are closed, which bucket is current, and how long the answer
   * may take.
   */
  readonly nowMs: number;
  readonly usageRetentionDays: number;
  /**
   * Read stored sums for half of the read units. A sum that was stored a moment ago may be missing; it is then summed
   * again.
   */
  readonly isCheap?: true;
}

/** Pages; the first one is read already. */
interface BegunPages<T> {
  readonly first: IteratorResult<ItemPage<T>, unknown>;
  readonly others: AsyncGenerator<ItemPage<T>>;
}

/** The result of one round trip: the first pages of stored sums, and of events that are not closed. */
export interface BegunSeries {
  readonly kept: readonly { readonly intervals: Intervals; readonly pages: BegunPages<StoredRollup> }[];
  readonly open: { readonly bounds: Bounds; readonly pages: BegunPages<StoredCountedEvent> } | undefined;
}

/** Reads the stored sums of a span, and the events that are not closed yet, in one round trip, at most 1 MB of each. */
export async function beginSeries(store: AccountStore, question: UsageQuestion): Promise<BegunSeries> {
  const { projectId, by, span, nowMs } = question;
  const { closed, open } = piecesOf(by, { ...span, sinceMs: Math.max(span.sinceMs, retainedSince(question)) }, nowMs);
  const readKept = async (intervals: Intervals) => ({
    intervals,
    pages: await begin(rollupPages(store, projectId, intervals, question.isCheap !== true)),
  });
  const readOpen = async (bounds: Bounds) => ({
    bounds,
    pages: await begin(countedEvents(store, projectId, isoTime(bounds.sinceMs), bounds.untilMs)),
  });
  const [kept, openEvents] = await Promise.all([
    Promise.all(closed.map(readKept)),
    open.sinceMs < open.untilMs ? readOpen(open) : undefined,
  ]);
  return { kept, open: openEvents };
}

/** The first day that may have events. */
export const retainedSince = ({
  nowMs,
  usageRetentionDays,
}: Pick<UsageQuestion, 'nowMs' | 'usageRetentionDays'>): number =>
  startOf(DAY, nowMs - Math.max(usageRetentionDays, FREE_EVENT_RETENTION_DAYS) * MS_PER_DAY);

const begin = async <T>(others: AsyncGenerator<ItemPage<T>>): Promise<BegunPages<T>> => ({
  first: await others.next(),
  others,
});

/** All pages. The next page is read when the iteration needs it. */
export async function* pagesOf<T>({ first, others }: BegunPages<T>): AsyncGenerator<ItemPage<T>> {
  if (!first.done) yield first.value;
  yield* others;
}
