import assert from 'node:assert/strict';
import type { RecordableHistogram } from 'node:perf_hooks';
import type { Figures } from './part.ts';
import { median } from '../../bench/statistics.ts';

/** After this time the code is compiled and the heap has its size, if the machine is always busy. */
const WARM_UP_SHARE = 0.2;
/** The memory at a moment is the median over this share of the run. */
const WINDOW_SHARE = 0.1;
/**
 * V8 keeps garbage in two semi-spaces of 16 MB. A leak of 100 to 200 bytes a request is more than that in ten minutes.
 */
const MAX_GROWTH_MB = 32;

/**
 * Memory at the start, in the middle and at the end. Throws if it grew after the warm-up, which is a share of the run.
 */
export function memoryFigures(samplesMb: readonly number[], warmUpShare = WARM_UP_SHARE): Figures {
  if (samplesMb.length === 0) return { residentMb: 'not measured: no /proc here' };
  const around = (share: number): number => {
    const from = Math.floor(samplesMb.length * share);
    return Math.round(median(samplesMb.slice(from, from + Math.ceil(samplesMb.length * WINDOW_SHARE))));
  };
  const [start, middle, last] = [around(warmUpShare), around((1 + warmUpShare) / 2), around(1 - WINDOW_SHARE)];
  assert.ok(
    last - start <= MAX_GROWTH_MB,
    `memory grew from ${start} MB after the warm-up over ${middle} to ${last} MB`,
  );
  return { residentMbAtStart: start, residentMbInTheMiddle: middle, residentMbAtTheEnd: last };
}

/** Latencies in milliseconds by kind of request, from histograms in microseconds. */
export const latencyFigures = (latenciesUs: Readonly<Record<string, RecordableHistogram>>): Figures =>
  Object.fromEntries(Object.entries(latenciesUs).map(([kind, histogram]) => [`${kind}Ms`, distribution(histogram)]));

function distribution(histogram: RecordableHistogram): string {
  const ms = (us: number): string => (us / 1000).toFixed(1);
  const [p50, p90, p99] = [50, 90, 99].map((percentile) => ms(histogram.percentile(percentile)));
  return `p50 ${p50}, p90 ${p90}, p99 ${p99}, max ${ms(histogram.max)} (${histogram.count})`;
}
