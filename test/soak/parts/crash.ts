import fc from 'fast-check';
import { killUnderLoad, type KillingFigures } from '../../support/killing.ts';
import { onFreshEngine } from '../engine.ts';
import type { SoakPart } from '../part.ts';

/** One round has its own fleet, project and database, the end of a month and a suspension. */
const KILLS_PER_ROUND = 6;
/** Two of four rounds have shards, so that each engine runs with and without them. */
const SHARDS = 8;
const SHARDS_EVERY = 4;
/** No round begins after this time. A kill takes about a second on two quiet cores. */
const MAX_SECONDS_PER_KILL = 15;

export const crash: SoakPart = {
  promise: 'gateways killed with -9 under load leave an exact ledger',
  unit: 'kills',
  defaultAmount: 60,
  run: async ({ seed, amount, progress }) => {
    const giveUpAtMs = performance.now() + amount * MAX_SECONDS_PER_KILL * 1000;
    const seeds = fc.sample(fc.nat(), { seed, numRuns: Math.ceil(amount / KILLS_PER_ROUND) });
    const seen: (KillingFigures & { readonly engine: string })[] = [];
    const total = (figure: Exclude<keyof KillingFigures, 'engine'>): number =>
      seen.reduce((sum, round) => sum + round[figure], 0);
    for (const [round, roundSeed] of seeds.entries()) {
      if (performance.now() > giveUpAtMs) break;
      const kills = Math.min(KILLS_PER_ROUND, amount - total('kills'));
      const shards = round % SHARDS_EVERY < 2 ? SHARDS : 1;
      await onFreshEngine(round, async (endpoint, engine) => {
        seen.push({ engine, ...(await killUnderLoad({ endpoint, kills, shards, seed: roundSeed })) });
      });
      progress(total('kills'));
    }
    const rounds = Object.entries(Object.groupBy(seen, ({ engine }) => engine));
    return {
      kills: total('kills'),
      rounds: rounds.map(([engine, those = []]) => `${those.length} on ${engine}`).join(', '),
      attempts: total('attempts'),
      unanswered: total('unanswered'),
      unavailable: total('unavailable'),
      units: total('unitsOfFirstMonth') + total('unitsOfSecondMonth'),
    };
  },
};
