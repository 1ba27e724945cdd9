import { MS_PER_SECOND } from './clock.ts';

/** How often the quota starts again: a UTC calendar month (the default) or a UTC day. */
const QUOTA_PERIODS = ['month', 'day'] as const;
export type QuotaPeriod = (typeof QUOTA_PERIODS)[number];

/** Years of four digits only: `Date.parse` reads others too, and `Date.UTC` takes the year 50 for 1950. */
const PERIOD_ID = /^[1-9]\d{3}-\d{2}(-\d{2})?$/;

/** Reads the setting of that name; a month when it is not set. Throws an error of one line for anything else. */
export function readQuotaPeriod(name: string, text: string | undefined): QuotaPeriod {
  const period = QUOTA_PERIODS.find((known) => known === (text || 'month'));
  if (period === undefined) throw new Error(`${name} must be ${QUOTA_PERIODS.join(' or ')}.`);
  return period;
}

/** One period of the quota. */
export interface Period {
  /** `2026-11` or `2026-11-21`: stored in the counter's key and in every usage event. */
  readonly id: string;
  readonly startsAtMs: number;
  /** First second of the next period: the value of `X-Service-Quota-Reset`. */
  readonly endsAtEpochSeconds: number;
}

/** The period that a moment falls in. A pure function of UTC time: there is no roll-over to miss. */
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

/** The period that an id such as `2026-11`, or `2026-11-21` for a day, stands for; undefined: for none of that length. */
export function periodOf(id: string, length: QuotaPeriod): Period | undefined {
  const startsAtMs = PERIOD_ID.test(id) ? Date.parse(id) : NaN;
  if (Number.isNaN(startsAtMs)) return undefined;
  const period = periodAt(startsAtMs, length);
  // Date.parse takes February 30 for March 2, and takes ids of either length.
  return period.id === id ? period : undefined;
}
