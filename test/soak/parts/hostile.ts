import { eventCase } from '../../support/hostile/event-cases.ts';
import { stormedFunctions } from '../../support/hostile/event-storm.ts';
import { storm } from '../../support/hostile/storm.ts';
import type { SoakPart } from '../part.ts';

/** Hostile events for both functions. */
export const hostile: SoakPart = {
  promise: 'hostile input gets the envelope, and none of the inside',
  unit: 'cases',
  defaultAmount: 100_000,
  run: async ({ seed, amount, progress }) => {
    const functions = stormedFunctions();
    await storm(eventCase, functions.play, { seed, cases: amount, lanes: 1, progress });
    const answers = [...functions.answers].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    return { cases: amount, answers: answers.join(', ') };
  },
};
