import * as fc from 'fast-check';
import { sequences } from '../../model/accounts/commands.ts';
import { accountsRunner } from '../../model/accounts/driver.ts';
import { availableEngines } from '../../support/engine.ts';
import { onFreshEngine } from '../engine.ts';
import type { SoakPart } from '../part.ts';

/** Sequences until the engine is replaced, because its store of transaction tokens slows it down. */
const SEQUENCES_PER_ENGINE = 500;
const MAX_STEPS = 40;

/** Random sequences of actions of people and the platform team, in turn and at once, each in its own world. */
export const accounts: SoakPart = {
  promise: 'the portal agrees with the reference model of accounts, table state and audit included',
  unit: 'sequences',
  defaultAmount: 20_000,
  run: async ({ seed, amount, progress }) => {
    const [engine] = availableEngines();
    if (engine === undefined) throw new Error('No local database runs on this machine.');
    const tally = new Map<string, number>();
    for (let done = 0; done < amount; done += SEQUENCES_PER_ENGINE) {
      const numRuns = Math.min(SEQUENCES_PER_ENGINE, amount - done);
      await onFreshEngine(engine, async () => {
        const runner = accountsRunner(tally);
        let inThis = 0;
        try {
          const property = fc.asyncProperty(sequences(MAX_STEPS, true), async (steps) => {
            await runner.run(steps);
            progress(done + ++inThis);
          });
          await fc.assert(property, { seed: seed + done, numRuns });
        } finally {
          runner.close();
        }
      });
    }
    const byCount = [...tally].sort(([, a], [, b]) => b - a);
    return { sequences: amount, requests: byCount.reduce((sum, [, n]) => sum + n, 0), ...Object.fromEntries(byCount) };
  },
};
