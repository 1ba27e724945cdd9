/**
 * How often latencies occurred, by bucket. The buckets are the same everywhere, so two histograms are added by adding
 * their counts.
 */
export type LatencyHistogram = Map<number, number>;

/** Below this every millisecond has its own bucket. */
const EXACT_MS = 128;
/** Buckets from each power of two to the next. The width of a bucket is at most 1/32 of its values. */
const BUCKETS_PER_OCTAVE = 32;
const EXACT_BITS = Math.log2(EXACT_MS);
const OCTAVE_BITS = Math.log2(BUCKETS_PER_OCTAVE);
/** The longest latency with its own bucket, over three weeks. So there are at most 900 buckets. */
const MAX_MS = 2 ** 31 - 1;

/** Counts one latency. */
export function addLatency(histogram: LatencyHistogram, latencyMs: number): void {
  const bucket = bucketOf(latencyMs);
  histogram.set(bucket, (histogram.get(bucket) ?? 0) + 1);
}

/** Adds what another histogram counted. */
export function addLatencies(histogram: LatencyHistogram, other: LatencyHistogram): void {
  for (const [bucket, count] of other) histogram.set(bucket, (histogram.get(bucket) ?? 0) + count);
}

/**
 * The nearest-rank percentile, as `LatencyCounts.percentile`. Below 128 ms it is the same, above at most 1.6 % off.
 * `percent` is a whole number from 1 to 100. Null when nothing was counted.
 */
export function latencyPercentile(histogram: LatencyHistogram, percent: number): number | null {
  let total = 0;
  for (const count of histogram.values()) total += count;
  const rank = Math.ceil((percent * total) / 100);
  let seen = 0;
  for (const [bucket, count] of [...histogram].sort(([a], [b]) => a - b)) {
    seen += count;
    if (seen >= rank) return latencyOf(bucket);
  }
  return null;
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
