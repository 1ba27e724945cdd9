import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  addLatencies,
  addLatency,
  count,
  latencyPercentile,
  percentile,
  type Counts,
  type LatencyHistogram,
} from '../../functions/usage/sums/latency-histogram.ts';

const histogramOf = (latencies: readonly number[]): LatencyHistogram => {
  const histogram: LatencyHistogram = new Map();
  for (const latencyMs of latencies) addLatency(histogram, latencyMs);
  return histogram;
};
/** The percentile for one single latency. */
const shown = (latencyMs: number): number => latencyPercentile(histogramOf([latencyMs]), 50) ?? NaN;

describe('a histogram of latencies', () => {
  test('is exact below 128 ms', () => {
    const all = Array.from({ length: 128 }, (_, latencyMs) => latencyMs);
    expect(all.map(shown)).toEqual(all);
  });

  test('is at most 2 % off above', () => {
    const worst = { error: 0, latencyMs: 0 };
    for (let latencyMs = 100; latencyMs < 20_000_000; latencyMs += 1 + Math.floor(latencyMs / 5_000)) {
      const error = Math.abs(shown(latencyMs) - latencyMs) / latencyMs;
      if (error > worst.error) Object.assign(worst, { error, latencyMs });
    }
    expect(worst.error).toBeLessThan(0.02);
    expect(worst.error).toBeGreaterThan(0.01);
  });

  test('has a bounded number of buckets, whatever it is given', () => {
    const hostile = [-1, NaN, Infinity, -Infinity, 0.4, 2 ** 31 - 1, 2 ** 31, 1e300, Number.MAX_SAFE_INTEGER];
    const histogram = histogramOf([...hostile, ...Array.from({ length: 100_000 }, (_, i) => 1.0003 ** i)]);
    for (const bucket of histogram.keys()) {
      expect(Number.isInteger(bucket)).toBe(true);
      expect(bucket).toBeGreaterThanOrEqual(0);
      expect(bucket).toBeLessThan(128 + 24 * 32);
    }
  });

  test('of several added up tells the percentiles of all, as the count of each latency does', () => {
    const some = fc.array(fc.oneof(fc.integer({ min: 0, max: 127 }), fc.integer({ min: 0, max: 5_000 })));
    fc.assert(
      fc.property(
        fc.array(some, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 100 }),
        (parts, percent) => {
          const together: LatencyHistogram = new Map();
          const counts: Counts = new Map();
          for (const part of parts) {
            addLatencies(together, histogramOf(part));
            for (const latencyMs of part) count(counts, latencyMs);
          }
          const [found, exact] = [latencyPercentile(together, percent), percentile(counts, percent)];
          if (exact === null || exact < 128) expect(found).toBe(exact);
          else expect(Math.abs((found ?? 0) - exact)).toBeLessThanOrEqual(0.02 * exact);
        },
      ),
    );
  });
});
