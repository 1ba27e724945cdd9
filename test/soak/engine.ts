import { startEngine, type EngineName } from '../support/engine.ts';
import { synthesisedPolicies } from '../support/stack.ts';

/**
 * Does something on a fresh engine, as jest's projects do: the support of the tests finds it in the same places. The
 * token store of dynoxide slows as it grows, so long work takes a fresh one now and then. Rejects when a call was refused at
 * the engine's door.
 */
export async function onFreshEngine<T>(name: EngineName, work: (endpoint: string) => Promise<T>): Promise<T> {
  if (process.env.TEST_METERED_POLICY === undefined) Object.assign(process.env, await synthesisedPolicies());
  const database = await startEngine(name);
  try {
    const { endpoint } = database.address;
    Object.assign(globalThis, { ENGINE: name });
    process.env[`TEST_ENDPOINT_${name}`] = endpoint;
    return await work(endpoint);
  } finally {
    // Broken on purpose, code calls as it may not.
    await database.stop().catch((error: unknown) => {
      if (process.env.MUTATION_ENGINE === undefined) throw error;
    });
  }
}
