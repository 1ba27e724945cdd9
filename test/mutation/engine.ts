import { availableEngines, type EngineName } from '../support/engine.ts';

/** Has the tests of jest.config.mjs run on the first engine of this machine, which it returns. */
export function chooseEngine(): EngineName {
  const [engine] = availableEngines();
  if (engine === undefined) throw new Error('No local database runs on this machine: install Java 17 or newer.');
  process.env.MUTATION_ENGINE = engine;
  return engine;
}
