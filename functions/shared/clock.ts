/** Source of wall-clock time, in epoch milliseconds. It is a parameter, so that tests can set the time. */
export interface Clock {
  now(): number;
}

export const MS_PER_SECOND = 1_000;
export const MS_PER_MINUTE = 60_000;
export const MS_PER_HOUR = 3_600_000;
export const MS_PER_DAY = 86_400_000;

/** A time in ISO 8601, in UTC with milliseconds. As text it sorts in the order of time. */
export const isoTime = (epochMs: number): string => new Date(epochMs).toISOString();

/** The UTC day of a time: `2026-11-21`. */
export const dayOf = (epochMs: number): string => isoTime(epochMs).slice(0, 'YYYY-MM-DD'.length);

/** Whole seconds until a moment, rounded up and at least 1: for `Retry-After` and `RateLimit`. */
export const secondsUntil = (epochSeconds: number, nowMs: number): number =>
  Math.max(1, Math.ceil(epochSeconds - nowMs / MS_PER_SECOND));

/** An item's `ttl`, in epoch seconds: the table may delete it after this time, never before. */
export const ttlAt = (epochMs: number): number => Math.ceil(epochMs / MS_PER_SECOND);
