import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBServiceException, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { StoreUnavailableError } from '../functions/shared/http/errors.ts';
import { createClient, documentClient, storeError } from '../functions/shared/store/client.ts';
import { prepareDemo, type PreparedDemo } from './demo.ts';
import { DEMO_AGE_MS } from './demo-data/traffic.ts';
import { SettingsError } from '../functions/shared/settings/named-value.ts';
import type { DatabaseAddress, LocalSettings } from './settings.ts';
import { createTables } from './tables.ts';

const RETRY_INTERVAL_MS = 500;

/** The content of a prepared database. */
type Contents = Pick<LocalSettings, 'tables' | 'keyTagSecrets' | 'dataDirectory' | 'demo'>;

/**
 * Prepares a database: its tables and a demo key. Waits while it does not answer, and calls `onWaiting` once. Throws
 * {@link SettingsError} when it refuses.
 */
export async function prepareDatabase(
  address: DatabaseAddress,
  contents: Contents,
  onWaiting: () => void,
  signal: AbortSignal,
): Promise<PreparedDemo> {
  const client = createClient(address);
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        return await prepareOnce(client, contents);
      } catch (error) {
        if (!isWorthWaiting(error)) throw asSettingsError(error, address);
        if (attempt === 1) onWaiting();
      }
      await sleep(RETRY_INTERVAL_MS, undefined, { signal });
    }
  } finally {
    client.destroy();
  }
}

async function prepareOnce(client: DynamoDBClient, { tables, demo, ...contents }: Contents): Promise<PreparedDemo> {
  await createTables(client, tables);
  const filledAgeMs = demo === 'full' ? DEMO_AGE_MS : undefined;
  return prepareDemo(documentClient(client), { tables, ...contents, filledAgeMs });
}

/** Whether the database may still start; missing credentials do not appear by waiting. */
const isWorthWaiting = (error: unknown): boolean =>
  storeError(error) instanceof StoreUnavailableError && (error as Error).name !== 'CredentialsProviderError';

/** A refusal by the database, or a missing setting of the SDK, as one line; other errors are unchanged. */
function asSettingsError(error: unknown, { endpoint }: DatabaseAddress): unknown {
  const isRefusal =
    error instanceof DynamoDBServiceException ||
    (error instanceof Error && /credential|region is missing/i.test(error.message));
  return isRefusal ? new SettingsError(`The database at ${endpoint} cannot be used: ${error.message}`) : error;
}
