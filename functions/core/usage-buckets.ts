import { isoTime } from './clock.ts';
import { startOf, startsOf, type Bounds, type StretchLength } from './usage-stretches.ts';
import { addTally, emptyTally, figuresOf, type TallyFigures, type UsageTally } from './usage-tally.ts';

/** The figures of a span, as the portal's contract has them. */
export interface UsageSeries {
  readonly complete: boolean;
  /** Buckets that are not summed whole. */
  readonly remaining: number;
  /** Oldest first; of those that are not summed whole only the one under way. */
  readonly buckets: readonly ({ readonly start: string } & TallyFigures)[];
  readonly total: TallyFigures;
}

/** The buckets of a span, while what they hold is found. */
export interface UsageBuckets {
  /** The tally of the bucket that a moment is in, to count in; one of no bucket for a moment outside of the span. */
  readonly at: (epochMs: number) => UsageTally;
  /** Notes that something that begins then is not in its bucket yet. */
  readonly lack: (startMs: number) => void;
  /** Adds what was noted so. */
  readonly supply: (startMs: number, tally: UsageTally) => void;
  /** What they hold by now: of all keys, or of one. */
  readonly series: (nowMs: number, keyId?: string) => UsageSeries;
}

/** Buckets that hold nothing yet, of a span of whole ones. */
export function usageBuckets(by: StretchLength, { sinceMs, untilMs }: Bounds): UsageBuckets {
  const tallies = new Map([...startsOf({ length: by, sinceMs, untilMs })].map((startMs) => [startMs, emptyTally()]));
  /** How much is not in a bucket yet. */
  const lacking = new Map<number, number>();
  const lackMore = (epochMs: number, more: number): void => {
    const startMs = startOf(by, epochMs);
    const left = (lacking.get(startMs) ?? 0) + more;
    if (left === 0) lacking.delete(startMs);
    else lacking.set(startMs, left);
  };
  const at = (epochMs: number): UsageTally => tallies.get(startOf(by, epochMs)) ?? emptyTally();
  return {
    at,
    lack: (startMs) => {
      lackMore(startMs, 1);
    },
    supply: (startMs, tally) => {
      lackMore(startMs, -1);
      addTally(at(startMs), tally);
    },
    series: (nowMs, keyId) => {
      const shown = [...tallies].filter(([startMs]) => !lacking.has(startMs) || startMs + by.lengthMs > nowMs);
      const total = emptyTally();
      for (const [, tally] of shown) addTally(total, tally);
      return {
        complete: lacking.size === 0,
        remaining: lacking.size,
        buckets: shown.map(([startMs, tally]) => ({ start: isoTime(startMs), ...figuresOf(tally, keyId) })),
        total: figuresOf(total, keyId),
      };
    },
  };
}
