import { startEngine, type EngineName } from '../support/engine.ts';
import { synthesisedPolicies } from '../support/stack.ts';

/**
 * Calls a function on a fresh engine, which the tests' support finds as in jest's projects. The
 * token store of dynoxide slows down as it grows, so that long runs replace the engine. Rejects if a call was refused
 * at the engine's door.
 */
export async function onFreshEngine<T>(name: EngineName, work: (endpoint: string) => Promise<T>): Promise<T> {
  if (process.env.TEST_METERED_POLICY === undefined) Object.assign(process.env, await synthesisedPolicies());
  const database = await startEngine(name);
  try {
    const { endpoint } = database.address;
    Object.assign(globalThis, { ENGINE: name });
    Object.assign(process.env, { [`TEST_ENDPOINT_${name}`]: endpoint, [`TEST_DIRECT_${name}`]: database.direct });
    return await work(endpoint);
  } finally {
    // Code that is broken on purpose makes calls that it may not make.
    await database.stop().catch((error: unknown) => {
      if (process.env.MUTATION_ENGINE === undefined) throw error;
    });
  }
}
