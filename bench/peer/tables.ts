import {
  BillingMode,
  CreateTableCommand,
  waitUntilTableExists,
  type CreateTableCommandInput,
  type DynamoDBClient,
} from '@aws-sdk/client-dynamodb';

/** The tables of the peer. Each library has its own, as its documentation says. */
export const PEER_TABLES = {
  /** Keys by their hash, each with its project's limits; and the quota counters. */
  state: 'PeerState',
  usage: 'PeerUsage',
  rate: 'PeerRate',
  idempotency: 'PeerIdempotency',
} as const;

const MAX_WAIT_SECONDS = 30;

/** Creates the peer's tables. Without TTL, which the engines of this benchmark do not act on. */
export async function createPeerTables(client: DynamoDBClient): Promise<void> {
  await Promise.all([
    create(client, PEER_TABLES.state, 'id'),
    create(client, PEER_TABLES.usage, 'projectId', 'occurredAt'),
    // rate-limiter-flexible, "DynamoDB": a partition key named `key`.
    create(client, PEER_TABLES.rate, 'key'),
    // Powertools, "Idempotency": a partition key named `id`.
    create(client, PEER_TABLES.idempotency, 'id'),
  ]);
}

async function create(client: DynamoDBClient, TableName: string, ...keys: readonly string[]): Promise<void> {
  const input: CreateTableCommandInput = {
    TableName,
    KeySchema: keys.map((AttributeName, i) => ({ AttributeName, KeyType: i === 0 ? 'HASH' : 'RANGE' })),
    AttributeDefinitions: keys.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    BillingMode: BillingMode.PAY_PER_REQUEST,
  };
  await client.send(new CreateTableCommand(input));
  await waitUntilTableExists({ client, maxWaitTime: MAX_WAIT_SECONDS }, { TableName });
}
