import { afterAll, describe, test } from '@jest/globals';
import * as fc from 'fast-check';
import { sequences } from '../model/accounts/commands.ts';
import { accountsRunner } from '../model/accounts/driver.ts';
import { IS_FULL } from '../support/extent.ts';

/** These sequences are the same in every run. `npm run soak -- accounts` tries others. */
const SEED = 20_301_115;
/** In parts, so that each has enough time on a busy machine. */
const PARTS = IS_FULL ? 4 : 1;
const SEQUENCES = IS_FULL ? 6 : 4;
const MAX_STEPS = 25;
const seeds = (first: number): number[] => Array.from({ length: PARTS }, (_, part) => first + part);

const { run, close } = accountsRunner();
afterAll(close);

describe('the portal and the reference model of accounts', () => {
  test.each(seeds(SEED))(
    'give the same answers, tables and audit for any sequence of what people and an operator do (seed %d)',
    (seed) => fc.assert(fc.asyncProperty(sequences(MAX_STEPS, false), run), { seed, numRuns: SEQUENCES }),
  );

  test.each(seeds(SEED))(
    'agree on what several people do at once: it is as if one did it after the other (seed %d)',
    (seed) => fc.assert(fc.asyncProperty(sequences(MAX_STEPS, true), run), { seed, numRuns: SEQUENCES }),
  );
});
