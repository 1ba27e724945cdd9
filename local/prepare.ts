import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBServiceException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createClient, documentClient } from '../functions/data/store.ts';
import type { TableNames } from '../functions/data/table-items.ts';
import { prepareDemo, type Demo } from './demo.ts';
import { SettingsError, type DatabaseAddress } from './settings.ts';
import { createTables } from './tables.ts';

const RETRY_INTERVAL_MS = 500;
/** The SDK's own words for settings that no waiting will mend. */
const MISSING_SETTING = /credential|region is missing/i;
const FIRST_SERVER_ERROR = 500;

/**
 * Makes a database ready: its tables and a demo key. Waits for one that does not answer yet, telling `onWaiting` once;
 * throws {@link SettingsError} when it answers that it will not.
 */
export async function prepareDatabase(
  address: DatabaseAddress,
  tables: TableNames,
  dataDirectory: string | undefined,
  onWaiting: () => void,
  signal: AbortSignal,
): Promise<Demo> {
  const client = createClient(address);
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        return await prepareOnce(client, tables, dataDirectory);
      } catch (error) {
        const refusal = definiteRefusal(error);
        if (refusal !== undefined) throw new SettingsError(`The database at ${address.endpoint} refused: ${refusal}`);
        if (attempt === 1) onWaiting();
      }
      await sleep(RETRY_INTERVAL_MS, undefined, { signal });
    }
  } finally {
    client.destroy();
  }
}

async function prepareOnce(
  client: DynamoDBClient,
  tables: TableNames,
  dataDirectory: string | undefined,
): Promise<Demo> {
  await createTables(client, tables);
  return prepareDemo(documentClient(client), tables, dataDirectory);
}

/** What the database, or the SDK before it, said; undefined when there was no answer or waiting may help. */
function definiteRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error)) return String(error);
  const status = error instanceof DynamoDBServiceException ? error.$metadata.httpStatusCode : undefined;
  const answered = status !== undefined && status < FIRST_SERVER_ERROR;
  return answered || MISSING_SETTING.test(error.message) ? `${error.name}: ${error.message}` : undefined;
}
