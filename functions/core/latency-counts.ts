/**
 * How often each latency occurred. The memory depends on the number of different latencies, not on the number of
 * requests.
 */
export interface LatencyCounts {
  /** Counts one latency, in whole milliseconds. */
  add(latencyMs: number): void;
  /**
   * The nearest-rank percentile: the least latency that at least `percent` % of all do not exceed. It is exact.
   * `percent` is a whole number from 1 to 100. Null when nothing was counted.
   */
  percentile(percent: number): number | null;
}

/**
 * Counts latencies exactly. They are whole milliseconds of at most a few seconds, so some thousand counters are enough.
 * A histogram with buckets would save nothing and lose exactness.
 */
export function latencyCounts(): LatencyCounts {
  const counts = new Map<number, number>();
  let total = 0;
  return {
    add: (latencyMs) => {
      counts.set(latencyMs, (counts.get(latencyMs) ?? 0) + 1);
      total++;
    },
    percentile: (percent) => {
      // Multiply whole numbers before the division: 0.07 × 100 would be 7.000000000000001, and its rank 8.
      const rank = Math.ceil((percent * total) / 100);
      let seen = 0;
      for (const [latencyMs, count] of [...counts].sort(([a], [b]) => a - b)) {
        seen += count;
        if (seen >= rank) return latencyMs;
      }
      return null;
    },
  };
}
