import { storm } from '../../support/hostile/storm.ts';
import type { SoakPart } from '../part.ts';

/** Hostile events for both functions. */
export const hostile: SoakPart = {
  promise: 'hostile input gets the envelope, and none of the inside',
  unit: 'cases',
  defaultAmount: 100_000,
  run: async ({ seed, amount, progress }) => {
    const counts = await storm({ seed, cases: amount, progress });
    const answers = [...counts].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    return { cases: amount, answers: answers.join(', ') };
  },
};
