const DAY_MS = 86_400_000;
const utcDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const utcLongDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' });
const utcMonth = new Intl.DateTimeFormat('en-GB', { month: 'long', timeZone: 'UTC' });

/** What a quota is told by. */
export interface Quota {
  /** Units a period; null: no limit. */
  readonly quotaLimit: number | null;
  readonly quotaUsed: number;
  /** `2026-11` or `2026-11-21`, in UTC. */
  readonly period: string;
  readonly createdAt: string;
}

/** First instant of a period and of the next one, in epoch milliseconds. */
function boundsOf(period: string): { startMs: number; endMs: number } {
  const [year = 0, month = 1, day] = period.split('-').map(Number);
  if (day === undefined) return { startMs: Date.UTC(year, month - 1), endMs: Date.UTC(year, month) };
  return { startMs: Date.UTC(year, month - 1, day), endMs: Date.UTC(year, month - 1, day + 1) };
}

/** `November: the quota counts until 1 December, 00:00 UTC.` */
export function periodSentence(period: string): string {
  const { startMs } = boundsOf(period);
  const name = period.split('-').length === 2 ? utcMonth.format(startMs) : utcLongDay.format(startMs);
  return `${name}: the quota counts until ${periodEnd(period)}.`;
}

/** Whether nothing is left of a quota in its period. */
export const isUsedUp = ({ quotaLimit, quotaUsed }: Pick<Quota, 'quotaLimit' | 'quotaUsed'>): boolean =>
  quotaLimit !== null && quotaUsed >= quotaLimit;

/** When the next period begins: `1 December, 00:00 UTC`. */
export const periodEnd = (period: string): string => `${utcLongDay.format(boundsOf(period).endMs)}, 00:00 UTC`;

/**
 * How far the quota goes at the pace so far: `at this pace until 30 Nov`, its last day, or the day on which it is used
 * up. Empty where there is nothing to say yet: no limit, nothing used, or less than a day to judge by.
 */
export function paceOf({ quotaLimit, quotaUsed, period, createdAt }: Quota, nowMs: number): string {
  const { startMs, endMs } = boundsOf(period);
  if (quotaLimit === null) return '';
  if (quotaUsed >= quotaLimit) return `used up until ${utcDay.format(endMs)}`;
  const sinceMs = Math.max(startMs, Date.parse(createdAt));
  const elapsedMs = Math.min(nowMs, endMs) - sinceMs;
  if (quotaUsed === 0 || elapsedMs < DAY_MS) return '';
  const usedUpMs = sinceMs + (elapsedMs * quotaLimit) / quotaUsed;
  return usedUpMs < endMs ? `used up on ${utcDay.format(usedUpMs)}` : `at this pace until ${utcDay.format(endMs - 1)}`;
}
