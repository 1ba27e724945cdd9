import {
  CreateTableCommand,
  DynamoDBServiceException,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import type { TableNames } from '../functions/shared/store/tables.ts';
import { TABLE_DEFINITIONS, type TableDefinition } from '../lib/table-definitions.ts';

const MAX_WAIT_SECONDS = 30;

/** Creates both tables if they are absent, from the definitions of the stack. */
export async function createTables(client: DynamoDBClient, names: TableNames): Promise<void> {
  await Promise.all([
    createTable(client, names.gateway, TABLE_DEFINITIONS.gateway),
    createTable(client, names.usage, TABLE_DEFINITIONS.usage),
  ]);
}

/** Creates a table if it is absent, and resolves when it is active. A sort key and a time to live are optional. */
export async function createTable(
  client: DynamoDBClient,
  TableName: string,
  { partitionKey, sortKey, timeToLiveAttribute }: Pick<TableDefinition, 'partitionKey'> & Partial<TableDefinition>,
): Promise<void> {
  const key = [partitionKey, sortKey].filter((name) => name !== undefined);
  const command = new CreateTableCommand({
    TableName,
    KeySchema: key.map((AttributeName, i) => ({ AttributeName, KeyType: i === 0 ? 'HASH' : 'RANGE' })),
    AttributeDefinitions: key.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    BillingMode: 'PAY_PER_REQUEST',
  });
  const created = await client.send(command).then(
    () => true,
    (error: unknown) => {
      // Another gateway with the same database was first.
      if (error instanceof ResourceInUseException) return false;
      throw error;
    },
  );
  await waitUntilTableExists({ client, maxWaitTime: MAX_WAIT_SECONDS }, { TableName });
  if (!created || timeToLiveAttribute === undefined) return;
  const TimeToLiveSpecification = { AttributeName: timeToLiveAttribute, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification })).catch((error: unknown) => {
    // Not every engine supports TTL, and expiry does not depend on it.
    if (!(error instanceof DynamoDBServiceException)) throw error;
  });
}
