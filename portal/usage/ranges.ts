import type { Usage } from '../api/schemas.ts';
import { boundsOf } from '../text/quota.ts';

/** The length of a bucket. */
export type Step = '5min' | 'hour' | 'day';
/** The ranges of usage, each up to now. */
export type Range = '1h' | '24h' | '7d' | '30d' | 'period';

const MINUTE_MS = 60_000;
const STEP_MS: Readonly<Record<Step, number>> = { '5min': 5 * MINUTE_MS, hour: 60 * MINUTE_MS, day: 1_440 * MINUTE_MS };

/** The ranges in their order: the word on the button, and the words in a sentence after “in”. */
export const RANGES: readonly (readonly [range: Range, word: string, words: string])[] = [
  ['1h', 'Hour', 'the last hour'],
  ['24h', '24 hours', 'the last 24 hours'],
  ['7d', '7 days', 'the last 7 days'],
  ['30d', '30 days', 'the last 30 days'],
  ['period', 'Period', 'this period of the quota'],
];

const LENGTHS: Readonly<Record<Exclude<Range, 'period'>, readonly [step: Step, count: number]>> = {
  '1h': ['5min', 12],
  '24h': ['hour', 24],
  '7d': ['day', 7],
  '30d': ['day', 30],
};

/** The requested span: from the start of the first bucket up to the present one. A bucket of a day is one of UTC. */
export function spanOf(range: Range, period: string, nowMs: number): { since: string; by: Step } {
  if (range === 'period') {
    const { startMs, isDay } = boundsOf(period);
    return { since: new Date(startMs).toISOString(), by: isDay ? 'hour' : 'day' };
  }
  const [by, count] = LENGTHS[range];
  const stepMs = STEP_MS[by];
  return { since: new Date((Math.floor(nowMs / stepMs) - count + 1) * stepMs).toISOString(), by };
}

/** The beginning of the last seven days or of the period, whichever is earlier: a list of keys has both. */
export function daysSince(period: string, nowMs: number): string {
  const [week, whole] = [spanOf('7d', period, nowMs).since, spanOf('period', period, nowMs).since];
  return week < whole ? week : whole;
}

/** A range before it is read: its buckets, without their contents. */
export function unread(range: Range, period: string, nowMs: number): Usage {
  const { since, by } = spanOf(range, period, nowMs);
  const until = new Date((Math.floor(nowMs / STEP_MS[by]) + 1) * STEP_MS[by]).toISOString();
  const total = { requests: 0, units: 0, outcomes: {}, p50LatencyMs: null, p95LatencyMs: null, chargedOnly: false };
  return { since, until, by, buckets: [], total, refusals: [], complete: true, remaining: 0 };
}

/** The end of the bucket that begins at a time. */
export const endOf = (start: string, by: Step): string => new Date(Date.parse(start) + STEP_MS[by]).toISOString();

/** A bucket's position in a chart: its start and its content. Undefined: it has no sum yet. */
export interface Slot<Bucket> {
  readonly start: string;
  readonly bucket: Bucket | undefined;
}

/** The answer with the buckets that it leaves out since nothing was requested in them, once all are summed. */
export function withEmptyBuckets(usage: Usage): Usage {
  if (!usage.complete) return usage;
  const empty = { requests: 0, units: 0, outcomes: {}, p50LatencyMs: null, p95LatencyMs: null, chargedOnly: false };
  return { ...usage, buckets: slotsOf(usage).map(({ start, bucket }) => bucket ?? { start, ...empty }) };
}

/** Every bucket of a span, including those without a sum yet. */
export function slotsOf<Bucket extends { readonly start: string }>(usage: {
  readonly since: string;
  readonly until: string;
  readonly by: Step;
  readonly buckets: readonly Bucket[];
}): Slot<Bucket>[] {
  const stepMs = STEP_MS[usage.by];
  const ready = new Map(usage.buckets.map((bucket) => [Date.parse(bucket.start), bucket]));
  const firstMs = Date.parse(usage.since);
  const count = Math.max(0, Math.round((Date.parse(usage.until) - firstMs) / stepMs));
  return Array.from({ length: count }, (_, index) => {
    const startMs = firstMs + index * stepMs;
    return { start: new Date(startMs).toISOString(), bucket: ready.get(startMs) };
  });
}
