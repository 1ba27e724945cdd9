import { describe, expect, test } from '@jest/globals';
import { storm } from '../support/hostile/storm.ts';

const SEED = 20_261_121;

describe('events that no function was promised', () => {
  test('get the envelope from both functions, none of the inside, and no 5xx', async () => {
    const answers = await storm({ seed: SEED, cases: 1_000 });
    // The storm reaches every layer of the chain.
    expect([...answers.keys()].sort()).toEqual([200, 204, 400, 401, 404, 405, 413, 415]);
  });
});
