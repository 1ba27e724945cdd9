import type { Usage } from '../api/schemas.ts';
import { CHARTED } from '../requests/outcomes.ts';
import { counted, formatCount, formatPercent } from '../text/format.ts';
import type { Labels } from './labels.ts';
import { slotsOf } from './ranges.ts';

type Figures = Pick<Usage['total'], 'requests' | 'outcomes'>;

/** The share of refused requests among all that were not simulated: 0 to 1. Undefined without any. */
export function refusedShare({ requests, outcomes }: Figures): number | undefined {
  const real = requests - (outcomes.simulated ?? 0);
  if (real === 0) return undefined;
  return 1 - ((outcomes.request_succeeded ?? 0) + (outcomes.idempotency_replay ?? 0)) / real;
}

/** `7.7 %`. A share above 0 is never shown as 0, and 1 never as less. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return `< ${formatPercent(0.1)}`;
  if (percent < 100 && percent > 99.9) return `> ${formatPercent(99.9)}`;
  return formatPercent(percent.toFixed(1).replace(/\.0$/, ''));
}

/** `11 ms`, or a dash without a value. */
export const formatLatency = (latencyMs: number | null): string =>
  latencyMs === null ? '–' : `${formatCount(Math.round(latencyMs))} ms`;

/** `346 requests: 300 succeeded, 46 rate limited`. */
export function outcomesInWords({ requests, outcomes }: Figures): string {
  const parts = CHARTED.flatMap(({ event, words }) => {
    const count = outcomes[event] ?? 0;
    return count === 0 ? [] : `${formatCount(count)} ${words.toLowerCase()}`;
  });
  return parts.length === 0 ? 'no request' : `${counted(requests, 'request')}: ${parts.join(', ')}`;
}

/** The summary of a chart of outcomes, for screen readers. */
export function summaryOfOutcomes(usage: Usage, range: string, labels: Labels): string {
  const most = usage.buckets.reduce<Usage['buckets'][number] | undefined>(
    (found, bucket) => (bucket.requests > (found?.requests ?? 0) ? bucket : found),
    undefined,
  );
  const peak = most ? ` Most in ${labels.whole(most.start)}: ${formatCount(most.requests)}.` : '';
  return `Requests by outcome in ${range}: ${outcomesInWords(usage.total)}.${peak}`;
}

/** The summary of a chart of latencies, for screen readers. */
export function summaryOfLatency({ total, buckets }: Usage, range: string, labels: Labels): string {
  const slowest = buckets.reduce<Usage['buckets'][number] | undefined>(
    (found, bucket) => ((bucket.p95LatencyMs ?? -1) > (found?.p95LatencyMs ?? -1) ? bucket : found),
    undefined,
  );
  if (!slowest) return `Latency in ${range}: no request.`;
  return (
    `Latency in ${range}: p50 ${formatLatency(total.p50LatencyMs)}, p95 ${formatLatency(total.p95LatencyMs)}. ` +
    `Slowest in ${labels.whole(slowest.start)}: p95 ${formatLatency(slowest.p95LatencyMs)}.`
  );
}

/** The progress of an incomplete answer: the share of complete buckets. */
export const progressOf = (usage: Usage): { ready: number; of: number } => {
  const of = slotsOf(usage).length;
  return { ready: of - usage.remaining, of };
};
