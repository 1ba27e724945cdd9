import { onFreshEngine } from '../soak/engine.ts';
import { availableEngines, type EngineName } from '../support/engine.ts';

/** Does something beside the engine that test/mutation/jest.config.mjs runs its tests on: the first of this machine. */
export async function besideEngine(work: (engine: EngineName) => Promise<void>): Promise<void> {
  const [engine] = availableEngines();
  if (engine === undefined) throw new Error('No local database runs on this machine: install Java 17 or newer.');
  process.env.MUTATION_ENGINE = engine;
  await onFreshEngine(engine, () => work(engine));
}
