import { describe, test } from '@jest/globals';
import * as fc from 'fast-check';
import { sequences, type Step } from './accounts/commands.ts';
import { accountsRunner } from './accounts/driver.ts';
import { IS_FULL } from '../support/extent.ts';

/** These sequences are the same in every run, their ids are not. `npm run soak -- accounts` tries others. */
const SEED = 20_301_115;
/** In parts, so that each has enough time on a busy machine. */
const PARTS = IS_FULL ? 10 : 1;
const SEQUENCES = 8;
const MAX_STEPS = 40;
const seeds = (first: number): number[] => Array.from({ length: PARTS }, (_, part) => first + part);

/**
 * With a clock and clients of its own: one that is out of time goes on, and must not disturb the next. The first failure
 * is shown as it is: a shorter sequence with other ids may not fail, and the search for it takes minutes.
 */
async function holds(what: fc.Arbitrary<readonly Step[]>, seed: number): Promise<void> {
  const { run, close } = accountsRunner();
  try {
    await fc.assert(fc.asyncProperty(what, run), { seed, numRuns: SEQUENCES, endOnFailure: true });
  } finally {
    close();
  }
}

describe('whatever people and an operator do', () => {
  test.each(seeds(SEED))(
    'what is stored holds together, a refusal changes nothing, and nobody gets what is not theirs (seed %d)',
    (seed) => holds(sequences(MAX_STEPS, false), seed),
  );

  test.each(seeds(SEED))('it does so when several do it at once (seed %d)', (seed) =>
    holds(sequences(MAX_STEPS, true), seed),
  );
});
