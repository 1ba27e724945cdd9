import { describe, expect, test } from '@jest/globals';
import { eventCase } from '../support/hostile/event-cases.ts';
import { stormedFunctions } from '../support/hostile/event-storm.ts';
import { storm } from '../support/hostile/storm.ts';

const SEED = 20_261_121;

describe('events that no function was promised', () => {
  test('get the envelope from both functions, none of the inside, and no 5xx', async () => {
    const functions = stormedFunctions();
    await storm(eventCase, functions.play, { seed: SEED, cases: 1_000, lanes: 1 });
    // The storm reaches every layer of the chain.
    expect([...functions.answers.keys()].sort()).toEqual([200, 204, 400, 401, 404, 405, 413, 415]);
  });
});
