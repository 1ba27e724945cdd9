import { median } from '../../bench/statistics.ts';

/** Times, in milliseconds, of two actions that were done in turns. The nth times of both are neighbours. */
export interface Turns {
  readonly one: readonly number[];
  readonly other: readonly number[];
}

/** How much longer the first takes than the second, and how much of that could be chance, in milliseconds. */
export interface Difference {
  /** The median of the differences of neighbours. What slows the machine slows both. */
  readonly ms: number;
  /** The bound that chance alone passes once in a thousand: the same median, with neighbours exchanged at random. */
  readonly noiseMs: number;
}

const SHUFFLES = 2_000;
const BY_CHANCE = 0.001;

/** `chance` is uniform in [0, 1). */
export function differenceOf({ one, other }: Turns, chance: () => number): Difference {
  const differences = one.map((ms, i) => ms - (other[i] ?? NaN));
  const shuffled = Array.from({ length: SHUFFLES }, () =>
    Math.abs(median(differences.map((ms) => (chance() < 0.5 ? ms : -ms)))),
  ).sort((a, b) => b - a);
  return { ms: median(differences), noiseMs: shuffled[Math.floor(SHUFFLES * BY_CHANCE)] ?? NaN };
}
