import { isoTime } from '../core/clock.ts';

/** A span of time: from `sinceMs` on, up to but without `untilMs`. Undefined: no bound. */
export interface TimeSpan {
  readonly sinceMs?: number | undefined;
  readonly untilMs?: number | undefined;
}

/** Below and above every ISO time, as text: for a span without a bound. */
const START_OF_TIME = '0';
const END_OF_TIME = ':';

/**
 * The bounds of a span as text, for sort keys that begin with a time and go on after it: BETWEEN includes both ends, but
 * no such key is a bare time.
 */
export const boundsAsText = ({ sinceMs, untilMs }: TimeSpan): { since: string; until: string } => ({
  since: sinceMs === undefined ? START_OF_TIME : isoTime(sinceMs),
  until: untilMs === undefined ? END_OF_TIME : isoTime(untilMs),
});

/** The upper bound of what stands before a position, too: never below `since`, since BETWEEN refuses bounds out of order. */
export function untilBefore({ since, until }: { since: string; until: string }, before: string | undefined): string {
  if (before === undefined || until < before) return until;
  return before < since ? since : before;
}
