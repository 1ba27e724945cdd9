import * as fc from 'fast-check';
import { sequences as ofAccounts } from '../../property/accounts/commands.ts';
import { accountsRunner } from '../../property/accounts/driver.ts';
import { sequences } from '../../model/commands.ts';
import { modelRunner } from '../../model/driver.ts';
import { onFreshEngine } from '../engine.ts';
import type { SoakPart } from '../part.ts';

const MAX_STEPS = 40;

/** Runs sequences in a world of their own, and counts what was answered. */
interface Runner<T> {
  run(sequence: T): Promise<void>;
  close(): void;
}

/** Random sequences. The engine is replaced after some, because its store of transaction tokens slows it down. */
const agreement = <T>(
  promise: string,
  sequencesPerEngine: number,
  sequence: fc.Arbitrary<T>,
  newRunner: (answers: Map<string, number>) => Runner<T>,
): SoakPart => ({
  promise,
  unit: 'sequences',
  defaultAmount: 20_000,
  run: async ({ seed, amount, progress }) => {
    const answers = new Map<string, number>();
    for (let done = 0; done < amount; done += sequencesPerEngine) {
      const numRuns = Math.min(sequencesPerEngine, amount - done);
      await onFreshEngine(0, async () => {
        const runner = newRunner(answers);
        let inThis = 0;
        try {
          const property = fc.asyncProperty(sequence, async (steps) => {
            await runner.run(steps);
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
});

/** Requests and changes of the platform team. */
export const model = agreement(
  'the chain agrees with the reference model, table state included',
  2_000,
  sequences(MAX_STEPS),
  modelRunner,
);

/** Actions of people and the platform team, in turn and at once. */
export const accounts = agreement(
  'what is stored of people, teams, projects and keys holds together, whatever they do',
  500,
  ofAccounts(MAX_STEPS, true),
  accountsRunner,
);
