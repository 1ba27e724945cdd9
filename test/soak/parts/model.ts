import * as fc from 'fast-check';
import { sequences } from '../../model/commands.ts';
import { modelRunner } from '../../model/driver.ts';
import { availableEngines } from '../../support/engine.ts';
import { onFreshEngine } from '../engine.ts';
import type { SoakPart } from '../part.ts';

/** Sequences until the engine is replaced, because its store of transaction tokens slows it down. */
const SEQUENCES_PER_ENGINE = 2_000;

const MAX_COMMANDS = 40;

/** Random sequences of requests and changes, each in its own world. */
export const model: SoakPart = {
  promise: 'the chain agrees with the reference model, table state included',
  unit: 'sequences',
  defaultAmount: 20_000,
  run: async ({ seed, amount, progress }) => {
    const [engine] = availableEngines();
    if (engine === undefined) throw new Error('No local database runs on this machine.');
    const answers = new Map<string, number>();
    for (let done = 0; done < amount; done += SEQUENCES_PER_ENGINE) {
      const numRuns = Math.min(SEQUENCES_PER_ENGINE, amount - done);
      await onFreshEngine(engine, async () => {
        const runner = modelRunner(answers);
        let inThis = 0;
        try {
          const property = fc.asyncProperty(sequences(MAX_COMMANDS), async (sequence) => {
            await runner.run(sequence);
            progress(done + ++inThis);
          });
          await fc.assert(property, { seed: seed + done, numRuns });
        } finally {
          runner.close();
        }
      });
    }
    const byCount = [...answers].sort(([, a], [, b]) => b - a);
    return { sequences: amount, requests: byCount.reduce((sum, [, n]) => sum + n, 0), ...Object.fromEntries(byCount) };
  },
};
