import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createClient } from '../functions/store/client.ts';
import { startDatabase } from '../local/database.ts';
import { chooseEngine } from '../local/engines.ts';
import { LOCAL_TABLES, type DatabaseAddress } from '../local/settings.ts';
import { createTables } from '../local/tables.ts';
import { createPeerTables } from './peer/store.ts';

/** An engine that runs, with the tables of the gateway and of its peer. */
export interface BenchEngine {
  readonly name: string;
  readonly address: DatabaseAddress;
  /** For what prepares a measurement; what is measured has a client of its own. */
  readonly client: DynamoDBClient;
}

/**
 * Does something on a fresh engine, in memory. Figures that are compared need one each: the token store of dynoxide
 * makes transactions slower as it grows.
 */
export async function onFreshEngine<T>(work: (engine: BenchEngine) => Promise<T>): Promise<T> {
  const database = await startDatabase(chooseEngine(), 0);
  const client = createClient(database.address);
  try {
    await Promise.all([createTables(client, LOCAL_TABLES), createPeerTables(client)]);
    return await work({ name: database.engine, address: database.address, client });
  } finally {
    client.destroy();
    await database.stop();
  }
}
