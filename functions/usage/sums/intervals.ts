import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from '../../shared/time.ts';

/** The name of a length of time for sums of usage. */
type IntervalKind = 'DAY' | 'HOUR' | 'PART';

/** A length of time for sums of usage. Its intervals begin at whole multiples of it, in UTC. */
export interface IntervalLength {
  readonly kind: IntervalKind;
  readonly lengthMs: number;
  /** An interval is closed this long after its end: no event of its time can be written any more. */
  readonly closesAfterMs: number;
}

/**
 * When an interval is closed.
 *
 * - An event has the time of its receipt, by the clock of the instance that received it.
 * - The event is written within 10 s: the request's deadline is 4 s later, and the database needs seconds at most.
 * - Clocks of instances differ by 90 s at most (docs/promises.md).
 *
 * So by the clock of any reader, the last event of an interval is written at most 100 s after its end. Three minutes
 * leave 80 s for a part. Hours and days are kept much longer, and nobody waits for them, since their parts replace them
 * until then: ten minutes. Refusals before admission are stored at the start of their minute, and a minute is never in
 * two intervals.
 */
export const FIVE_MINUTES: IntervalLength = {
  kind: 'PART',
  lengthMs: 5 * MS_PER_MINUTE,
  closesAfterMs: 3 * MS_PER_MINUTE,
};
export const HOUR: IntervalLength = { kind: 'HOUR', lengthMs: MS_PER_HOUR, closesAfterMs: 10 * MS_PER_MINUTE };
export const DAY: IntervalLength = { kind: 'DAY', lengthMs: MS_PER_DAY, closesAfterMs: 10 * MS_PER_MINUTE };

/** The longest first. Each is a multiple of those after it. */
const LENGTHS: readonly IntervalLength[] = [DAY, HOUR, FIVE_MINUTES];

/** The lengths that a longer one is made of, the longest first. */
export const shorterThan = ({ lengthMs }: IntervalLength): IntervalLength[] =>
  LENGTHS.filter((length) => length.lengthMs < lengthMs);

/** A span of time, from a beginning up to but without an end. */
export interface Bounds {
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** Consecutive intervals of one length. */
export interface Intervals extends Bounds {
  readonly length: IntervalLength;
}

/** The beginning of the interval of a moment. */
export const startOf = ({ lengthMs }: IntervalLength, epochMs: number): number =>
  Math.floor(epochMs / lengthMs) * lengthMs;

/** The beginnings of consecutive intervals. */
export function* startsOf({ length, sinceMs, untilMs }: Intervals): Generator<number> {
  for (let startMs = sinceMs; startMs < untilMs; startMs += length.lengthMs) yield startMs;
}

/** A span rounded outward to whole intervals. */
export const roundedOutward = (length: IntervalLength, { sinceMs, untilMs }: Bounds): Bounds => ({
  sinceMs: startOf(length, sinceMs),
  untilMs: startOf(length, untilMs + length.lengthMs - 1),
});

/** The parts from which a span is summed. */
export interface SpanPieces {
  /** Closed intervals: as long as the buckets where these are closed, and shorter ones for the rest. */
  readonly closed: readonly Intervals[];
  /** The rest, in which events may still be written. */
  readonly open: Bounds;
}

/** The parts of a span of whole intervals, as of now. */
export function piecesOf(by: IntervalLength, { sinceMs, untilMs }: Bounds, nowMs: number): SpanPieces {
  const closed: Intervals[] = [];
  let fromMs = sinceMs;
  for (const length of [by, ...shorterThan(by)]) {
    const endMs = Math.min(untilMs, startOf(length, nowMs - length.closesAfterMs));
    if (endMs <= fromMs) continue;
    closed.push({ length, sinceMs: fromMs, untilMs: endMs });
    fromMs = endMs;
  }
  return { closed, open: { sinceMs: fromMs, untilMs } };
}
