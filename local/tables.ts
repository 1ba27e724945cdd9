import {
  CreateTableCommand,
  DynamoDBServiceException,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';
import { TABLE_ATTRIBUTES } from '../functions/shared/names.ts';
import type { TableNames } from '../functions/shared/store/tables.ts';

const MAX_WAIT_SECONDS = 30;

/** Creates both tables if they are absent, with the attributes that they have in the stack. */
export async function createTables(client: DynamoDBClient, { gateway, usage }: TableNames): Promise<void> {
  await Promise.all([createTable(client, gateway), createTable(client, usage)]);
}

/** The attributes of a table by their use. Those of the key are strings. */
interface TableAttributes {
  readonly partitionKey: string;
  readonly sortKey?: string;
  readonly timeToLive?: string;
}

/** Creates a table if it is absent, and resolves when it is active. */
export async function createTable(
  client: DynamoDBClient,
  TableName: string,
  { partitionKey, sortKey, timeToLive }: TableAttributes = TABLE_ATTRIBUTES,
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
  if (!created || timeToLive === undefined) return;
  const TimeToLiveSpecification = { AttributeName: timeToLive, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification })).catch((error: unknown) => {
    // Not every engine supports TTL, and expiry does not depend on it.
    if (!(error instanceof DynamoDBServiceException)) throw error;
  });
}
