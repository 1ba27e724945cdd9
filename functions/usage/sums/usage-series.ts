import type { AccountStore } from '../../accounts/store/account-store.ts';
import { usageBuckets, type UsageBuckets, type UsageSeries } from './buckets.ts';
import { startOf, startsOf, type IntervalLength, type Intervals } from './intervals.ts';
import { addEvent, emptyTally } from './tally.ts';
import { MAX_KEYS } from './tally-text.ts';
import { beginSeries, pagesOf, retainedSince, type BegunSeries, type UsageQuestion } from './begun-series.ts';
import { endOf, startOfRollup, sumOf, type StoredRollup, keepRollup, type Rollup } from './rollup-items.ts';
import { sumIntervals, type Summing } from './rollups.ts';
import { isoTime } from '../../shared/time.ts';

/** How long an answer sums. A first look, without stored sums, has less time, so that people soon see something. */
const FIRST_LOOK_MS = 500;
const FURTHER_LOOK_MS = 2_000;

/**
 * Reads the stored sums of a span, sums the rest for a limited time, and answers with the figures so far. It takes one
 * round trip when all sums are stored.
 *
 * @returns the figures, on request those of each key; `storing`: the writes of new sums, which still run; and
 *   `isAsStored`: whether the closed intervals, once stored, are told as now. A new sum of too many keys to tell apart may
 *   be stored by another reader with others of them.
 */
export async function readSeries(
  store: AccountStore,
  question: UsageQuestion,
): Promise<{ readonly series: UsageSeries; readonly storing: Promise<void>; readonly isAsStored: boolean }> {
  const { by, span, keyId, nowMs, projectId, usageRetentionDays } = question;
  const begun = await beginSeries(store, question);
  const buckets = usageBuckets(by, span);
  // No events of these buckets are kept; charged ones may be missing, too.
  for (const startMs of startsOf({ ...span, length: by, untilMs: Math.min(span.untilMs, retainedSince(question)) })) {
    buckets.at(startMs).chargedOnly = true;
  }
  const hasKept = begun.kept.some(({ pages: { first } }) => first.done !== true && first.value.items.length > 0);
  const isFirstLook = begun.kept.length > 0 && !hasKept;
  const endMs = nowMs + (isFirstLook ? FIRST_LOOK_MS : FURTHER_LOOK_MS);
  // One page is always read, however little time is left: each answer makes progress.
  const time = () => {
    let pages = 0;
    return () => pages++ === 0 || store.clock.now() < endMs;
  };
  const { keep, done } = rollupKeeper(store, projectId, usageRetentionDays);
  const [isAsStored] = await Promise.all([
    sumClosed({ store, projectId, nowMs, mayGoOn: time(), keep }, begun.kept, buckets),
    countOpen(begun.open, by, time(), buckets),
  ]);
  return { series: buckets.series(nowMs, keyId), storing: done(), isAsStored };
}

/**
 * Fills the buckets with stored sums, and sums the rest as long as there is time.
 *
 * @returns whether each new sum is stored as it was added
 */
async function sumClosed(summing: Summing, pieces: BegunSeries['kept'], buckets: UsageBuckets): Promise<boolean> {
  const missing: Run[] = [];
  for (const { intervals, pages } of pieces) {
    const kept = new Map<number, StoredRollup>();
    for await (const { items } of pagesOf(pages)) for (const item of items) kept.set(startOfRollup(item), item);
    const { length } = intervals;
    /** The last stored sum, which may include the intervals after it. */
    let last: { readonly upTo: string; readonly chargedOnly: boolean } | undefined;
    for (const startMs of startsOf(intervals)) {
      buckets.markPending(startMs);
      const item = kept.get(startMs);
      const endsAt = endOf({ length, startMs });
      const tally = item && item.upTo >= endsAt ? sumOf(item) : undefined;
      if (item && tally) {
        last = { upTo: item.upTo, chargedOnly: tally.chargedOnly };
        buckets.addPending(startMs, tally);
      } else if (last && endsAt <= last.upTo) buckets.addPending(startMs, emptyTally(last.chargedOnly));
      else addTo(missing, { length, sinceMs: startMs, untilMs: startMs + length.lengthMs }, item);
    }
  }
  let isAsStored = true;
  const add: UsageBuckets['addPending'] = (startMs, tally) => {
    isAsStored &&= tally.keys.size <= MAX_KEYS;
    buckets.addPending(startMs, tally);
  };
  // The current bucket is always shown, so it comes first.
  for (const { intervals, begun } of missing.reverse()) {
    if (!(await sumIntervals(summing, intervals, begun, add))) break;
  }
  return isAsStored;
}

/** Adjacent intervals, and the stored sums of the first events of some of them. */
interface Run {
  intervals: Intervals;
  readonly begun: StoredRollup[];
}

/** Adds an interval to the run that it continues, or begins a new run. */
function addTo(runs: Run[], interval: Intervals, begun: StoredRollup | undefined): void {
  let run = runs.at(-1);
  if (run?.intervals.length === interval.length && run.intervals.untilMs === interval.sinceMs) {
    run.intervals = { ...run.intervals, untilMs: interval.untilMs };
  } else runs.push((run = { intervals: interval, begun: [] }));
  if (begun) run.begun.push(begun);
}

/** Counts the events that are not closed yet in their buckets, as long as there is time. */
async function countOpen(
  open: BegunSeries['open'],
  by: IntervalLength,
  mayGoOn: () => boolean,
  buckets: UsageBuckets,
): Promise<void> {
  if (!open) return;
  const { bounds, pages } = open;
  const starts = [...startsOf({ length: by, sinceMs: startOf(by, bounds.sinceMs), untilMs: bounds.untilMs })];
  starts.forEach(buckets.markPending);
  for await (const { items, upTo } of pagesOf(pages)) {
    for (const event of items) addEvent(buckets.at(Date.parse(event.occurredAt)), event);
    if (upTo !== undefined && !mayGoOn()) return;
  }
  for (const startMs of starts) buckets.addPending(startMs, emptyTally());
}

/** Parallel writes. */
const MAX_IN_FLIGHT = 16;

/** Stores rollups while the summing continues. */
interface RollupKeeper {
  /** Begins to store one. Resolves when another write may begin. Adjacent intervals without events are merged. */
  readonly keep: (rollup: Rollup) => Promise<void>;
  /** Resolves when all are stored. Rejects, to be logged, if one was not: it is then summed again. */
  readonly done: () => Promise<void>;
}

export function rollupKeeper(store: AccountStore, projectId: string, usageRetentionDays: number): RollupKeeper {
  const inFlight = new Set<Promise<void>>();
  const failures: unknown[] = [];
  /** The last interval without events; the next one may be merged with it. */
  let quiet: Rollup | undefined;
  const write = async (rollup: Rollup | undefined): Promise<void> => {
    if (!rollup) return;
    const writing = keepRollup(store, projectId, rollup, usageRetentionDays)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => inFlight.delete(writing));
    inFlight.add(writing);
    if (inFlight.size >= MAX_IN_FLIGHT) await Promise.race(inFlight);
  };
  return {
    keep: async (rollup) => {
      const before = quiet;
      quiet = isQuiet(rollup) ? rollup : undefined;
      if (before && quiet && joins(before, quiet)) {
        quiet = { ...before, upTo: quiet.upTo };
        return;
      }
      await write(before);
      if (!quiet) await write(rollup);
    },
    done: async () => {
      await write(quiet);
      await Promise.all(inFlight);
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Whether a sum is complete and the interval has no events. */
const isQuiet = (rollup: Rollup): boolean => rollup.tally.keys.size === 0 && rollup.upTo === endOf(rollup);

const joins = (before: Rollup, after: Rollup): boolean =>
  before.length === after.length &&
  before.upTo === isoTime(after.startMs) &&
  before.tally.chargedOnly === after.tally.chargedOnly;
