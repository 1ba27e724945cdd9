import { formatPercent } from './format.ts';

/** Below this share of a period its rate is too uncertain: a day of a month, 48 minutes of a day. */
const LEAST_SHARE_OF_TIME = 1 / 30;
/** Below this number of units it is too uncertain, too, unless they are a tenth of the quota. */
const LEAST_UNITS = 10;
const LEAST_SHARE_OF_UNITS = 0.1;

const utcDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const utcLongDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' });
const utcMonth = new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: 'UTC' });
const utcClock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });

/** The figures of a quota. */
export interface Quota {
  /** Units per period. Null: no limit. */
  readonly quotaLimit: number | null;
  readonly quotaUsed: number;
  /** `2026-11` or `2026-11-21`, in UTC. */
  readonly period: string;
  readonly createdAt: string;
}

/** First instant of a period and of the next one, in epoch milliseconds, and whether it is a day, not a month. */
export function boundsOf(period: string): { startMs: number; endMs: number; isDay: boolean } {
  const [year = 0, month = 1, day] = period.split('-').map(Number);
  if (day === undefined) return { startMs: Date.UTC(year, month - 1), endMs: Date.UTC(year, month), isDay: false };
  return { startMs: Date.UTC(year, month - 1, day), endMs: Date.UTC(year, month - 1, day + 1), isDay: true };
}

/** `November: the quota counts until 1 December, 00:00 UTC.` */
export function periodSentence(period: string): string {
  return `${periodName(period)}: the quota counts until ${periodEnd(period)}.`;
}

/**
 * `November`, or `21 November` for a period of a day. With a time, a month of another year has its year: `November
 * 2025`.
 */
export function periodName(period: string, nowMs?: number): string {
  const { startMs, isDay } = boundsOf(period);
  if (isDay) return utcLongDay.format(startMs);
  const month = utcMonth.format(startMs);
  const year = period.slice(0, 'YYYY'.length);
  return nowMs === undefined || Number(year) === new Date(nowMs).getUTCFullYear() ? month : `${month} ${year}`;
}

/** The periods from one back to that of a time, the newest first, at most this number. */
export function periodsBack(period: string, since: string, most: number): string[] {
  const periods: string[] = [];
  for (let id = period; periods.length < most; id = before(id)) {
    periods.push(id);
    if (boundsOf(id).startMs <= Date.parse(since)) break;
  }
  return periods;
}

const before = (period: string): string => new Date(boundsOf(period).startMs - 1).toISOString().slice(0, period.length);

/** Whether a quota is used up in its period. */
export const isUsedUp = ({ quotaLimit, quotaUsed }: Pick<Quota, 'quotaLimit' | 'quotaUsed'>): boolean =>
  quotaLimit !== null && quotaUsed >= quotaLimit;

/** The used part of a quota, rounded down: `57 %`, `under 1 %`, at most `100 %`. `0 %` without a limit. */
export function percentUsed({ quotaLimit, quotaUsed }: Pick<Quota, 'quotaLimit' | 'quotaUsed'>): string {
  if (quotaLimit === null) return formatPercent(0);
  if (quotaUsed >= quotaLimit) return formatPercent(100);
  // Multiplied first: 0.57 * 100 is less than 57.
  const percent = Math.floor((quotaUsed * 100) / quotaLimit);
  return percent === 0 && quotaUsed > 0 ? `under ${formatPercent(1)}` : formatPercent(percent);
}

/** The day on which the next period begins, in UTC: `1 December`. */
export const resetDay = (period: string): string => utcLongDay.format(boundsOf(period).endMs);

/** When the next period begins: `1 December, 00:00 UTC`. */
export const periodEnd = (period: string): string => `${resetDay(period)}, 00:00 UTC`;

/**
 * When a quota will be used up at the rate since the period began, or since the project was created in it: in epoch
 * milliseconds, perhaps after the period's end. Undefined while there are too few data: no limit, less than a thirtieth
 * of the period is over, or fewer than ten units and less than a tenth of the quota are used.
 */
export function usedUpAt({ quotaLimit, quotaUsed, period, createdAt }: Quota, nowMs: number): number | undefined {
  if (quotaLimit === null || quotaUsed <= 0) return undefined;
  const { startMs, endMs } = boundsOf(period);
  const sinceMs = Math.max(startMs, Date.parse(createdAt));
  const elapsedMs = Math.min(nowMs, endMs) - sinceMs;
  if (elapsedMs < (endMs - startMs) * LEAST_SHARE_OF_TIME) return undefined;
  if (quotaUsed < Math.min(LEAST_UNITS, quotaLimit * LEAST_SHARE_OF_UNITS)) return undefined;
  return sinceMs + (elapsedMs * quotaLimit) / quotaUsed;
}

/**
 * How long the quota lasts at the present rate: `Lasts the month`, or `Used up on 23 Nov`, the expected day. For a
 * period of a day: the hour, in UTC. Empty while there are too few data.
 */
export function paceOf(quota: Quota, nowMs: number): string {
  const { endMs, isDay } = boundsOf(quota.period);
  if (quota.quotaLimit !== null && quota.quotaUsed >= quota.quotaLimit) return `Used up until ${utcDay.format(endMs)}`;
  const atMs = usedUpAt(quota, nowMs);
  if (atMs === undefined) return '';
  if (atMs >= endMs) return `Lasts the ${isDay ? 'day' : 'month'}`;
  return isDay ? `Used up at ${utcClock.format(atMs)} UTC` : `Used up on ${utcDay.format(atMs)}`;
}
