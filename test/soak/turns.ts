import { median } from '../../bench/statistics.ts';

/** Times, in milliseconds, of two things that were done in turns: the nth of each next to each other. */
export interface Turns {
  readonly one: readonly number[];
  readonly other: readonly number[];
}

/** How much longer the one takes than the other, and how much that could be by chance; milliseconds. */
export interface Difference {
  /** The median of the differences of neighbours: what slows the machine for a while slows both. */
  readonly ms: number;
  /** What chance alone would not pass but once in a thousand: the same median, with neighbours changing places by chance. */
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
