import * as v from 'valibot';
import { readNamed } from './settings/named-value.ts';

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

/** How often the quota starts again: a UTC calendar month (the default) or a UTC day. */
export type QuotaPeriod = 'month' | 'day';

/** Years of four digits only: `Date.parse` reads others too, and `Date.UTC` reads the year 50 as 1950. */
const PERIOD_ID = /^[1-9]\d{3}-\d{2}(-\d{2})?$/;

/** The setting whose text is a {@link QuotaPeriod}; a month when it is not set. */
export const QuotaPeriodText = v.optional(
  v.pipe(
    v.string(),
    v.check((text) => text === 'month' || text === 'day', 'must be month or day.'),
  ),
  'month',
);

/** Reads the setting of that name. Throws `SettingsError`. */
export const readQuotaPeriod = (name: string, text: string | undefined): QuotaPeriod =>
  readNamed(name, text, QuotaPeriodText) as QuotaPeriod;

/** One period of the quota. */
export interface Period {
  /** `2026-11` or `2026-11-21`: stored in the counter's key and in every usage event. */
  readonly id: string;
  readonly startsAtMs: number;
  /** First second of the next period: the value of `X-Service-Quota-Reset`. */
  readonly endsAtEpochSeconds: number;
}

/** The period of a moment. A pure function of UTC time, so no reset can be missed. */
export function periodAt(epochMs: number, length: QuotaPeriod): Period {
  const date = new Date(epochMs);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const [startsAtMs, endsAtMs, idLength] =
    length === 'month'
      ? [Date.UTC(year, month), Date.UTC(year, month + 1), 'YYYY-MM'.length]
      : [Date.UTC(year, month, day), Date.UTC(year, month, day + 1), 'YYYY-MM-DD'.length];
  return {
    id: date.toISOString().slice(0, idLength),
    startsAtMs,
    endsAtEpochSeconds: endsAtMs / MS_PER_SECOND,
  };
}

/** The period of an id such as `2026-11`, or `2026-11-21` for a day; undefined: it is none of that length. */
export function periodOf(id: string, length: QuotaPeriod): Period | undefined {
  const startsAtMs = PERIOD_ID.test(id) ? Date.parse(id) : NaN;
  if (Number.isNaN(startsAtMs)) return undefined;
  const period = periodAt(startsAtMs, length);
  // Date.parse reads February 30 as March 2, and accepts ids of either length.
  return period.id === id ? period : undefined;
}
