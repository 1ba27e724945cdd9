import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND } from '../../shared/rules/clock.ts';

/** The pauses after the attempts of a delivery: nine attempts within a day, then no more. */
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

/** An endpoint to which nothing has arrived for so long is switched off when a delivery to it is given up. */
export const FAILING_MS = 3 * MS_PER_DAY;

/**
 * The time between an attempt and the next. It is up to a tenth shorter, so that many attempts do not come at once.
 * Undefined: that was the last attempt.
 * @param made attempts so far, 1 or more
 * @param random in [0, 1)
 */
export function pauseAfter(made: number, random: number): number | undefined {
  const pauseMs = PAUSES_MS[made - 1];
  return pauseMs === undefined ? undefined : Math.round(pauseMs * (1 - random / 10));
}
