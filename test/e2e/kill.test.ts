import { expect, test } from '@jest/globals';
import { availableEngines } from '../support/engine.ts';
import { killUnderLoad } from '../support/killing.ts';
import { shared } from '../support/shared/client.ts';
import type { SharedEngine } from '../support/shared/things.ts';

/** The number of shards of the quota, for each engine. */
const SHARDS = [8, 1];
const endpoints = await Promise.all(
  availableEngines().map(async (engine, index) => {
    const { endpoint } = await shared<SharedEngine>(engine);
    return [engine, SHARDS[index] ?? 1, endpoint] as const;
  }),
);

/** It takes seconds on two idle cores, but it starts every process many times, which is slow on a busy machine. */
const TIMEOUT_MS = 90_000;

test.each(endpoints)(
  'on %s, in %i shards, the ledger is exact after gateways were killed with -9 under load, over the end of a month and a suspension',
  async (_, shards, endpoint) => {
    const { kills, unanswered, ...units } = await killUnderLoad({ endpoint, kills: 4, shards, seed: 20300131 });
    expect([kills, unanswered > 0]).toEqual([4, true]);
    expect(Math.min(units.unitsOfFirstMonth, units.unitsOfSecondMonth)).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
