import { isoTime, MS_PER_DAY, MS_PER_SECOND, periodAt, type Period, type QuotaPeriod } from '../time.ts';

/** How often a key's cap begins again, in UTC: each day, ISO week or month; `once`: never. */
export const CAP_PERIODS = ['day', 'week', 'month', 'once'] as const;
export type CapPeriod = (typeof CAP_PERIODS)[number];

/** The periods by the suffixes of ids. */
const PERIODS: Readonly<Record<string, CapPeriod>> = { '.d': 'day', '.w': 'week', '.m': 'month', '.o': 'once' };

/**
 * The id of a cap: the id of the first key that had it, with a suffix for its period. A cap by the quota's own period has
 * no suffix: such caps are older than the others, and their counts go on.
 */
export const capIdOf = (firstKeyId: string, period: CapPeriod, quotaPeriod: QuotaPeriod): string =>
  period === quotaPeriod
    ? firstKeyId
    : firstKeyId + String(Object.keys(PERIODS).find((suffix) => PERIODS[suffix] === period));

/** The id of the first key that had a cap. */
export const firstKeyOf = (capId: string): string => capId.split('.', 1)[0] ?? capId;

/** The period of a cap, by its id; undefined: it has no suffix, so the quota's. */
export const ownPeriodOf = (capId: string): CapPeriod | undefined => PERIODS[capId.slice(-'.d'.length)];

/** One period of a cap. */
export interface CapSpan {
  /** `2026-11-21`, `2026-W47`, `2026-11` or `once`: stored in the key of its counter. */
  readonly id: string;
  /** -Infinity: it never began. */
  readonly startsAtMs: number;
  /** The first second of the next one; undefined: it never ends. */
  readonly endsAtEpochSeconds: number | undefined;
}

const ONCE: CapSpan = { id: 'once', startsAtMs: -Infinity, endsAtEpochSeconds: undefined };

/** The period of a cap at a moment. */
export const capSpanAt = (epochMs: number, capId: string, quotaPeriod: QuotaPeriod): CapSpan =>
  spanAt(epochMs, ownPeriodOf(capId) ?? quotaPeriod);

/** The same for a request, whose quota period was read from the same clock at the same moment. */
export function capSpanOf(
  capId: string,
  { nowMs, period }: { readonly nowMs: number; readonly period: Period },
): CapSpan {
  const own = ownPeriodOf(capId);
  return own ? spanAt(nowMs, own) : period;
}

/** A period of caps at a moment. */
export function spanAt(epochMs: number, period: CapPeriod): CapSpan {
  if (period === 'once') return ONCE;
  return period === 'week' ? weekAt(epochMs) : periodAt(epochMs, period);
}

const WEEK_MS = 7 * MS_PER_DAY;
/** From a Monday to the Thursday of its week, whose year is the week's. */
const TO_THURSDAY_MS = 3 * MS_PER_DAY;

/** The ISO 8601 week of a moment, from Monday 00:00 UTC. */
function weekAt(epochMs: number): CapSpan {
  // The epoch began on a Thursday.
  const thursdayMs = Math.floor((epochMs + TO_THURSDAY_MS) / WEEK_MS) * WEEK_MS;
  const year = new Date(thursdayMs).getUTCFullYear();
  const week = Math.floor((thursdayMs - Date.UTC(year, 0)) / WEEK_MS) + 1;
  const startsAtMs = thursdayMs - TO_THURSDAY_MS;
  return {
    id: `${year}-W${String(week).padStart(2, '0')}`,
    startsAtMs,
    endsAtEpochSeconds: (startsAtMs + WEEK_MS) / MS_PER_SECOND,
  };
}

/**
 * Whether a cap's period can be longer than a month, or lie in two. Its counter holds its units also by the month of
 * their events (`m2026-11`), so that a ledger can be verified month by month.
 */
export const hasMonths = (capId: string): boolean => /\.[wo]$/.test(capId);

/** The attribute of a counter with the units of a month. */
export const monthPart = (epochMs: number): string => `m${isoTime(epochMs).slice(0, 'YYYY-MM'.length)}`;
export const isMonthPart = (attribute: string): boolean => /^m\d/.test(attribute);

/** Under which name an event and a replay record keep their cap. The version before sums `capId` by the quota's period. */
export const capNamed = (capId: string): { readonly cap: string } | { readonly capId: string } =>
  ownPeriodOf(capId) ? { cap: capId } : { capId };
