import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createTable } from '../../local/tables.ts';
import { PEER_TABLES } from './store.ts';

/** Attributes of the primary keys, as the libraries' pages on DynamoDB name them. */
const PRIMARY_KEYS = {
  [PEER_TABLES.state]: { partitionKey: 'id' },
  [PEER_TABLES.usage]: { partitionKey: 'projectId', sortKey: 'occurredAt' },
  [PEER_TABLES.rate]: { partitionKey: 'key' },
  [PEER_TABLES.idempotency]: { partitionKey: 'id' },
};

/** Creates the peer's tables, without TTL, which the engines of this benchmark do not apply. */
export async function createPeerTables(client: DynamoDBClient): Promise<void> {
  await Promise.all(Object.entries(PRIMARY_KEYS).map(([name, key]) => createTable(client, name, key)));
}
