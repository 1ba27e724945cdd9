import { afterAll, describe, test } from '@jest/globals';
import * as fc from 'fast-check';
import { sequences } from '../model/commands.ts';
import { modelRunner } from '../model/driver.ts';
import { IS_FULL } from '../support/extent.ts';

/** These sequences are the same in every run. `npm run soak -- model` tries others. */
const SEED = 20_301_115;
/** In parts, so that each has enough time on a busy machine. */
const PARTS = IS_FULL ? 10 : 1;
const SEQUENCES = IS_FULL ? 20 : 15;
const MAX_COMMANDS = 20;

const { run, close } = modelRunner();
afterAll(close);

describe('the chain and the reference model', () => {
  test.each(Array.from({ length: PARTS }, (_, part) => SEED + part))(
    'give the same answers, headers, log lines, metrics and tables for any sequence of requests and changes (seed %d)',
    async (seed) => {
      await fc.assert(fc.asyncProperty(sequences(MAX_COMMANDS), run), { seed, numRuns: SEQUENCES });
    },
  );
});
