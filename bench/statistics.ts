import type { Measured } from './part.ts';

/** The value that the share `p` (0 to 1) of the samples does not exceed, interpolated between neighbours. */
export function percentile(samples: readonly number[], p: number): number {
  if (samples.length === 0) throw new Error('there are no samples');
  const sorted = [...samples].sort((a, b) => a - b);
  const position = p * (sorted.length - 1);
  const below = sorted[Math.floor(position)] ?? NaN;
  const above = sorted[Math.ceil(position)] ?? NaN;
  return below + (above - below) * (position % 1);
}

export const median = (samples: readonly number[]): number => percentile(samples, 0.5);

/** Median and quartiles. A single disturbed sample moves none of them. */
export const measured = (samples: readonly number[]): Measured => ({
  median: median(samples),
  low: percentile(samples, 0.25),
  high: percentile(samples, 0.75),
});

/**
 * The ratio of two things measured in turns: the median of the ratios of neighbours, so that what disturbs the machine
 * for a while disturbs both sides of a ratio.
 */
export function pairedRatio(ours: readonly number[], theirs: readonly number[]): Measured {
  if (ours.length !== theirs.length) throw new Error('the samples are not pairs');
  return measured(ours.map((value, i) => value / (theirs[i] ?? NaN)));
}
