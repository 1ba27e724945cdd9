import type { Measured } from './part.ts';

/** The value that the share `p` (0 to 1) of the samples does not exceed, interpolated between neighbours. */
export function percentile(samples: readonly number[], p: number): number {
  if (samples.length === 0) throw new Error('there are no samples');
  const sorted = [...samples].sort((a, b) => a - b);
  const position = p * (sorted.length - 1);
  const [below = NaN, above = below] = sorted.slice(Math.floor(position));
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
 * The ratio of two quantities that were measured in turns: the median of the ratios of neighbours. What disturbs the
 * machine for a while then disturbs both sides of a ratio.
 */
export function pairedRatio(ours: readonly number[], theirs: readonly number[]): Measured {
  if (ours.length !== theirs.length) throw new Error('the samples are not pairs');
  return measured(ours.map((value, i) => value / (theirs[i] ?? NaN)));
}

/** One figure of samples with several figures. */
export const each = <K extends string>(samples: readonly Readonly<Record<K, number>>[], figure: K): number[] =>
  samples.map((sample) => sample[figure]);

/** Takes samples of all subjects in turns; every second round is backwards. Returns each subject with its samples. */
export async function inTurns<T, S>(
  rounds: number,
  samplers: readonly (S & { readonly sample: () => Promise<T> })[],
  progress: (round: string) => void = () => undefined,
) {
  const taken = samplers.map((sampler) => ({ ...sampler, samples: [] as T[] }));
  for (let round = 1; round <= rounds; round++) {
    progress(`round ${round} of ${rounds}`);
    for (const { sample, samples } of round % 2 === 1 ? taken : taken.toReversed()) samples.push(await sample());
  }
  return taken;
}

/** Adds up amounts by their owner, largest sum first. */
export function sumsBy(amounts: Iterable<readonly [name: string, amount: number]>) {
  const sums = new Map<string, number>();
  for (const [name, amount] of amounts) sums.set(name, (sums.get(name) ?? 0) + amount);
  return [...sums].map(([name, sum]) => ({ name, sum })).sort((a, b) => b.sum - a.sum);
}
