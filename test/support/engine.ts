import { createClient } from '../../functions/shared/store/client.ts';
import { startDatabase, type RunningDatabase } from '../../local/database.ts';
import { ENGINES } from '../../local/engines.ts';
import { LOCAL_TABLES } from '../../local/settings.ts';
import { createTables } from '../../local/tables.ts';
import { startIamProxy } from './iam-proxy/proxy.ts';

export type EngineName = keyof typeof ENGINES;

/** The installed engines, the preferred one first. */
export const availableEngines = (): EngineName[] =>
  (Object.keys(ENGINES) as EngineName[]).filter((name) => ENGINES[name]() !== undefined);

/**
 * Starts an engine of this machine on a free port, with both tables. Its address is that of its IAM proxy (iam-proxy/proxy.ts);
 * `direct` is the engine itself. `stop` rejects when the IAM proxy refused a call.
 */
export async function startEngine(name: EngineName): Promise<RunningDatabase & { readonly direct: string }> {
  const engine = ENGINES[name]();
  if (engine === undefined) throw new Error(`This machine cannot run ${name}.`);
  const database = await startDatabase(engine, 0);
  const client = createClient(database.address);
  try {
    await createTables(client, LOCAL_TABLES);
    const iamProxy = await startIamProxy(database.address.endpoint);
    const stop = async () => {
      await database.stop();
      await iamProxy.close();
    };
    const direct = database.address.endpoint;
    return { ...database, direct, address: { ...database.address, endpoint: iamProxy.endpoint }, stop };
  } catch (error) {
    await database.stop();
    throw error;
  } finally {
    client.destroy();
  }
}
