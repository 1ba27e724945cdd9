import { afterAll, describe, test } from '@jest/globals';
import * as fc from 'fast-check';
import { sequences } from '../model/commands.ts';
import { modelRunner } from '../model/driver.ts';

declare const THOROUGH: boolean;

/** Another run tries others: `npm run soak -- model`. These are the same every time. */
const SEED = 20_301_115;
/** Another engine confirms what the first one has tried in full. */
const NUM_RUNS = THOROUGH ? 200 : 10;

const MAX_COMMANDS = 20;
/** For a busy machine; a quiet one takes ten seconds. */
const MAX_MS = 120_000;

const { run, close } = modelRunner();
afterAll(close);

describe('the chain and the reference model', () => {
  test(
    'give the same answers, headers, log lines, metrics and tables for any sequence of requests and changes',
    async () => {
      await fc.assert(fc.asyncProperty(sequences(MAX_COMMANDS), run), { seed: SEED, numRuns: NUM_RUNS });
    },
    MAX_MS,
  );
});
