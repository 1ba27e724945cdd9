import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from './clock.ts';

/** The name of a length of time that usage is summed by. */
export type StretchKind = 'DAY' | 'HOUR' | 'PART';

/** A length of time that usage is summed by; stretches of it begin at whole multiples of it, in UTC. */
export interface StretchLength {
  readonly kind: StretchKind;
  readonly lengthMs: number;
  /** So long after its end a stretch is closed: no event of its time can come any more. */
  readonly closesAfterMs: number;
}

/**
 * When a stretch is closed. An event's time is that of receipt by the clock of the instance that received it, and the
 * event is written before the request's deadline, 4 s later; what was sent by then the database applies, or refuses,
 * within seconds. Clocks of instances differ by 90 s at most (docs/promises.md). So by the clock of any reader
 * the last event of a stretch is written 100 s after its end: 80 s remain of the three minutes of a part. Hours and days
 * are kept much longer, and nobody waits for them, since their parts stand for them until then: ten minutes. A minute's
 * refusals before admission that are stored at its start are of one stretch, as each begins and ends with a minute.
 */
export const PART: StretchLength = { kind: 'PART', lengthMs: 5 * MS_PER_MINUTE, closesAfterMs: 3 * MS_PER_MINUTE };
export const HOUR: StretchLength = { kind: 'HOUR', lengthMs: MS_PER_HOUR, closesAfterMs: 10 * MS_PER_MINUTE };
export const DAY: StretchLength = { kind: 'DAY', lengthMs: MS_PER_DAY, closesAfterMs: 10 * MS_PER_MINUTE };

/** The longest first: each holds whole ones of those after it. */
const LENGTHS: readonly StretchLength[] = [DAY, HOUR, PART];

/** Those that a longer one is made of, the longest first. */
export const shorterThan = ({ lengthMs }: StretchLength): StretchLength[] =>
  LENGTHS.filter((length) => length.lengthMs < lengthMs);

/** Some time from a beginning up to, but without, an end. */
export interface Bounds {
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** Consecutive stretches of one length. */
export interface Stretches extends Bounds {
  readonly length: StretchLength;
}

/** The beginning of the stretch that a moment is in. */
export const startOf = ({ lengthMs }: StretchLength, epochMs: number): number => epochMs - (epochMs % lengthMs);

/** The beginnings of consecutive stretches. */
export function* startsOf({ length, sinceMs, untilMs }: Stretches): Generator<number> {
  for (let startMs = sinceMs; startMs < untilMs; startMs += length.lengthMs) yield startMs;
}

/** A span rounded outward to whole stretches. */
export const roundedOutward = (length: StretchLength, { sinceMs, untilMs }: Bounds): Bounds => ({
  sinceMs: startOf(length, sinceMs),
  untilMs: startOf(length, untilMs + length.lengthMs - 1),
});

/** What a span is summed from. */
export interface SpanPieces {
  /** Closed stretches, each as long as the buckets where that is closed, and what is left in shorter ones. */
  readonly closed: readonly Stretches[];
  /** The rest, whose events may still come. */
  readonly open: Bounds;
}

/** The pieces of a span of whole stretches, as of now. */
export function piecesOf(by: StretchLength, { sinceMs, untilMs }: Bounds, nowMs: number): SpanPieces {
  const closed: Stretches[] = [];
  let fromMs = sinceMs;
  for (const length of [by, ...shorterThan(by)]) {
    const endMs = Math.min(untilMs, startOf(length, nowMs - length.closesAfterMs));
    if (endMs <= fromMs) continue;
    closed.push({ length, sinceMs: fromMs, untilMs: endMs });
    fromMs = endMs;
  }
  return { closed, open: { sinceMs: fromMs, untilMs } };
}
