/** How often each number occurred. Its size grows with the number of different values. */
export type Counts = Map<number, number>;

/** Counts a number. */
export function count(counts: Counts, value: number, times = 1): void {
  counts.set(value, (counts.get(value) ?? 0) + times);
}

/**
 * The nearest-rank percentile: the least number that at least this percentage of all do not exceed. Exact. `percent` is
 * a whole number from 1 to 100. Null: nothing was counted.
 */
export function percentile(counts: Counts, percent: number): number | null {
  let total = 0;
  for (const times of counts.values()) total += times;
  // Multiply whole numbers before the division: 0.07 × 100 would be 7.000000000000001, and its rank 8.
  const rank = Math.ceil((percent * total) / 100);
  let seen = 0;
  for (const [value, times] of [...counts].sort(([a], [b]) => a - b)) {
    seen += times;
    if (seen >= rank) return value;
  }
  return null;
}

/**
 * How often latencies occurred, by bucket. The buckets are the same everywhere, so two histograms are added by adding
 * their counts.
 */
export type LatencyHistogram = Counts;

/** Below this every millisecond has its own bucket. */
const EXACT_MS = 128;
/** Buckets from each power of two to the next. The width of a bucket is at most 1/32 of its values. */
const BUCKETS_PER_OCTAVE = 32;
const EXACT_BITS = Math.log2(EXACT_MS);
const OCTAVE_BITS = Math.log2(BUCKETS_PER_OCTAVE);
/** The longest latency with its own bucket, over three weeks. So there are at most 900 buckets. */
const MAX_MS = 2 ** 31 - 1;

/** Counts one latency. */
export const addLatency = (histogram: LatencyHistogram, latencyMs: number): void => {
  count(histogram, bucketOf(latencyMs));
};

/** Adds what another histogram counted. */
export function addLatencies(histogram: LatencyHistogram, other: LatencyHistogram): void {
  for (const [bucket, times] of other) count(histogram, bucket, times);
}

/** As {@link percentile} of the latencies: the same below 128 ms, and at most 1.6 % off above. */
export function latencyPercentile(histogram: LatencyHistogram, percent: number): number | null {
  const bucket = percentile(histogram, percent);
  return bucket === null ? null : latencyOf(bucket);
}

function bucketOf(latencyMs: number): number {
  // An invalid latency counts as 0: a histogram has to accept whatever the table holds.
  const ms = latencyMs > 0 ? Math.min(MAX_MS, Math.round(latencyMs)) : 0;
  if (ms < EXACT_MS) return ms;
  const octave = Math.floor(Math.log2(ms)) - EXACT_BITS;
  return EXACT_MS + BUCKETS_PER_OCTAVE * octave + (Math.floor(ms / widthOf(octave)) - BUCKETS_PER_OCTAVE);
}

/** The latency that represents a bucket: its middle. */
function latencyOf(bucket: number): number {
  if (bucket < EXACT_MS) return bucket;
  const octave = Math.floor((bucket - EXACT_MS) / BUCKETS_PER_OCTAVE);
  const place = BUCKETS_PER_OCTAVE + ((bucket - EXACT_MS) % BUCKETS_PER_OCTAVE);
  return (place + 1 / 2) * widthOf(octave);
}

const widthOf = (octave: number): number => 2 ** (octave + EXACT_BITS - OCTAVE_BITS);
