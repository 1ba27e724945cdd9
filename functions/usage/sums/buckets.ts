import { isoTime } from '../../shared/time.ts';
import { startOf, startsOf, type Bounds, type IntervalLength } from './intervals.ts';
import {
  addTally,
  emptyTally,
  figuresByKey,
  figuresOf,
  refusalsOf,
  type KeyFigures,
  type RefusalFigures,
  type TallyFigures,
  type UsageTally,
} from './tally.ts';

/** The figures of a span, as the portal's contract has them. */
export interface UsageSeries {
  readonly complete: boolean;
  /** The number of buckets that are not complete. */
  readonly remaining: number;
  /** Oldest first. An incomplete bucket is shown only if it is the current one. */
  readonly buckets: readonly ({ readonly start: string } & TallyFigures)[];
  readonly total: TallyFigures;
  /** The total by key. */
  readonly keys: readonly KeyFigures[];
  /** Why requests were refused, most first. */
  readonly refusals: readonly RefusalFigures[];
  /** The units of a key in each bucket of the span, oldest first; 0 in one that is not shown. */
  readonly unitsOf: (keyId: string) => number[];
}

/** The buckets of a span, while they are filled. */
export interface UsageBuckets {
  /** The tally of a moment's bucket, to count in. For a moment outside of the span it is a tally of no bucket. */
  readonly at: (epochMs: number) => UsageTally;
  /** Marks a part that begins at this time as pending: it is not in its bucket yet. */
  readonly markPending: (startMs: number) => void;
  /** Adds a pending part. */
  readonly addPending: (startMs: number, tally: UsageTally) => void;
  /** The figures so far: of all keys, or of one. */
  readonly series: (nowMs: number, keyId?: string) => UsageSeries;
}

/** Empty buckets for a span of whole ones. */
export function usageBuckets(by: IntervalLength, { sinceMs, untilMs }: Bounds): UsageBuckets {
  const tallies = new Map([...startsOf({ length: by, sinceMs, untilMs })].map((startMs) => [startMs, emptyTally()]));
  /** The number of pending parts of each bucket. */
  const pending = new Map<number, number>();
  const changePending = (epochMs: number, more: number): void => {
    const startMs = startOf(by, epochMs);
    const left = (pending.get(startMs) ?? 0) + more;
    if (left === 0) pending.delete(startMs);
    else pending.set(startMs, left);
  };
  const at = (epochMs: number): UsageTally => tallies.get(startOf(by, epochMs)) ?? emptyTally();
  return {
    at,
    markPending: (startMs) => {
      changePending(startMs, 1);
    },
    addPending: (startMs, tally) => {
      changePending(startMs, -1);
      addTally(at(startMs), tally);
    },
    series: (nowMs, keyId) => {
      const isShown = (startMs: number): boolean => !pending.has(startMs) || startMs + by.lengthMs > nowMs;
      const shown = [...tallies].filter(([startMs]) => isShown(startMs));
      const total = emptyTally();
      for (const [, tally] of shown) addTally(total, tally);
      return {
        complete: pending.size === 0,
        remaining: pending.size,
        buckets: shown.map(([startMs, tally]) => ({ start: isoTime(startMs), ...figuresOf(tally, keyId) })),
        total: figuresOf(total, keyId),
        keys: figuresByKey(total),
        refusals: refusalsOf(total, keyId),
        unitsOf: (of) => [...tallies].map(([startMs, tally]) => (isShown(startMs) ? figuresOf(tally, of).units : 0)),
      };
    },
  };
}
