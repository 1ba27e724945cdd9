import { afterAll, describe, test } from '@jest/globals';
import * as fc from 'fast-check';
import { sequences } from './accounts/commands.ts';
import { accountsRunner } from './accounts/driver.ts';
import { IS_FULL } from '../support/extent.ts';

/** These sequences are the same in every run. `npm run soak -- accounts` tries others. */
const SEED = 20_301_115;
/** In parts, so that each has enough time on a busy machine. */
const PARTS = IS_FULL ? 4 : 1;
const SEQUENCES = IS_FULL ? 20 : 8;
const MAX_STEPS = 40;
const seeds = (first: number): number[] => Array.from({ length: PARTS }, (_, part) => first + part);

const { run, close } = accountsRunner();
afterAll(close);

describe('whatever people and an operator do', () => {
  test.each(seeds(SEED))(
    'what is stored holds together, a refusal changes nothing, and nobody gets what is not theirs (seed %d)',
    (seed) => fc.assert(fc.asyncProperty(sequences(MAX_STEPS, false), run), { seed, numRuns: SEQUENCES }),
  );

  test.each(seeds(SEED))('it does so when several do it at once (seed %d)', (seed) =>
    fc.assert(fc.asyncProperty(sequences(MAX_STEPS, true), run), { seed, numRuns: SEQUENCES }),
  );
});
