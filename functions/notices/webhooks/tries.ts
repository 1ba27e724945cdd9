import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND } from '../../core/clock.ts';

/** The pauses behind the tries of a delivery: nine tries within a day, and then no more. */
const PAUSES_MS = [
  30 * MS_PER_SECOND,
  5 * MS_PER_MINUTE,
  30 * MS_PER_MINUTE,
  MS_PER_HOUR,
  2 * MS_PER_HOUR,
  4 * MS_PER_HOUR,
  8 * MS_PER_HOUR,
  8 * MS_PER_HOUR,
] as const;

/** The most seconds that a queue holds a message back (AWS, "SQS message quotas"). */
const MAX_DELAY_SECONDS = 900;

/** An endpoint to which nothing has arrived for so long is switched off when a delivery to it is given up. */
export const FAILING_MS = 3 * MS_PER_DAY;

/**
 * The time between a try and the next, up to a tenth shorter, so that many do not come at once; undefined: that was the
 * last.
 *
 * @param made tries so far, 1 or more
 * @param random in [0, 1)
 */
export function pauseAfter(made: number, random: number): number | undefined {
  const pauseMs = PAUSES_MS[made - 1];
  return pauseMs === undefined ? undefined : Math.round(pauseMs * (1 - random / 10));
}

/** How long the queue holds a message back that is due then; what is due later comes back before, and waits again. */
export const delaySeconds = (dueMs: number, nowMs: number): number =>
  Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil((dueMs - nowMs) / MS_PER_SECOND)));
