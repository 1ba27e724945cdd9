import { createClient } from '../../functions/store/client.ts';
import { startDatabase } from '../../local/database.ts';
import { ENGINES } from '../../local/engines.ts';
import { LOCAL_TABLES } from '../../local/settings.ts';
import { createTables } from '../../local/tables.ts';
import { meteredPolicy, PROD, synthesise } from '../support/stack.ts';

export type EngineName = keyof typeof ENGINES;

/** The engines of this machine, the preferred one first. */
export const availableEngines = (): EngineName[] =>
  (Object.keys(ENGINES) as EngineName[]).filter((name) => ENGINES[name]() !== undefined);

/**
 * Does something on a fresh engine, as jest's projects do: the support of the tests finds it in the same places. The
 * token store of dynoxide slows as it grows, so long work takes a fresh one now and then.
 */
export async function onFreshEngine<T>(name: EngineName, work: (endpoint: string) => Promise<T>): Promise<T> {
  const engine = ENGINES[name]();
  if (engine === undefined) throw new Error(`This machine cannot run ${name}.`);
  process.env.TEST_METERED_POLICY ??= meteredPolicy((await synthesise({ prod: PROD })).prod);
  const database = await startDatabase(engine, 0);
  try {
    const { endpoint } = database.address;
    Object.assign(globalThis, { ENGINE: name });
    process.env[`TEST_ENDPOINT_${name}`] = endpoint;
    const client = createClient(database.address);
    await createTables(client, LOCAL_TABLES);
    client.destroy();
    return await work(endpoint);
  } finally {
    await database.stop();
  }
}
