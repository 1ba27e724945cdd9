import { availableEngines, startEngine, type EngineName } from '../support/engine.ts';
import { synthesisedPolicies } from '../support/stack.ts';

/**
 * Calls a function on a fresh engine, by turns of each kind, which the tests' support finds as in jest's projects. The
 * token store of dynoxide slows down as it grows, so that long runs replace the engine. Rejects if a call was refused
 * at the engine's IAM proxy.
 */
export async function onFreshEngine<T>(
  turn: number,
  work: (endpoint: string, name: EngineName) => Promise<T>,
): Promise<T> {
  const engines = availableEngines();
  const name = engines[turn % engines.length];
  if (name === undefined) throw new Error('No local database runs on this machine.');
  if (process.env.TEST_METERED_POLICY === undefined) Object.assign(process.env, await synthesisedPolicies());
  const database = await startEngine(name);
  try {
    const { endpoint } = database.address;
    Object.assign(globalThis, { ENGINE: name });
    Object.assign(process.env, { [`TEST_ENDPOINT_${name}`]: endpoint, [`TEST_DIRECT_${name}`]: database.direct });
    return await work(endpoint, name);
  } finally {
    await database.stop();
  }
}
