import fc from 'fast-check';
import { killUnderLoad, type KillingFigures } from '../../support/killing.ts';
import { availableEngines } from '../../support/engine.ts';
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
    const engines = availableEngines();
    const rounds = Math.ceil(amount / KILLS_PER_ROUND);
    const seeds = fc.sample(fc.nat(), { seed, numRuns: rounds });
    const seen: (KillingFigures & { readonly engine: string })[] = [];
    const total = (figure: Exclude<keyof KillingFigures, 'engine'>): number =>
      seen.reduce((sum, round) => sum + round[figure], 0);
    for (const [round, roundSeed] of seeds.entries()) {
      const engine = engines[round % engines.length];
      if (engine === undefined || performance.now() > giveUpAtMs) break;
      const kills = Math.min(KILLS_PER_ROUND, amount - total('kills'));
      const figures = await onFreshEngine(engine, (endpoint) =>
        killUnderLoad({ endpoint, kills, shards: round % SHARDS_EVERY < 2 ? SHARDS : 1, seed: roundSeed }),
      );
      seen.push({ engine, ...figures });
      progress(total('kills'));
    }
    return {
      kills: total('kills'),
      rounds: engines
        .map((engine) => `${seen.filter((round) => round.engine === engine).length} on ${engine}`)
        .join(', '),
      attempts: total('attempts'),
      unanswered: total('unanswered'),
      unavailable: total('unavailable'),
      units: total('unitsOfFirstMonth') + total('unitsOfSecondMonth'),
    };
  },
};
