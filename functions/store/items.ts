import { BatchGetCommand, GetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { StoreUnavailableError } from '../core/errors.ts';
import { jitteredDelayMs, MAX_ATTEMPTS, NO_DEADLINE, type ConflictRetry } from './conflicts.ts';
import { available, queryItems } from './client.ts';
import { names, type ItemKey, type TableNames } from './table-items.ts';

/** What it takes to read the tables. */
export interface StoreReader {
  readonly client: DynamoDBDocumentClient;
  readonly tables: TableNames;
  readonly sleep: ConflictRetry['sleep'];
  readonly random: ConflictRetry['random'];
}

/** Items that one `BatchGetItem` may ask for (AWS, "BatchGetItem"). */
const BATCH_SIZE = 100;

/** Reads one item of the Gateway table, as it is after every write before; undefined: there is none. */
export async function readItem<T>({ client, tables }: StoreReader, key: ItemKey): Promise<T | undefined> {
  const command = new GetCommand({ TableName: tables.gateway, Key: key, ConsistentRead: true });
  return (await available(client.send(command))).Item as T | undefined;
}

/** The items of a partition of the Gateway table whose sort keys begin as this one, in their order, page by page as they are taken. */
export const itemsFrom = (
  { client, tables }: StoreReader,
  { pk, sk: prefix }: ItemKey,
): AsyncGenerator<Record<string, unknown>> =>
  queryItems(client, {
    TableName: tables.gateway,
    KeyConditionExpression: '#pk = :pk AND begins_with(#sk, :prefix)',
    ExpressionAttributeNames: names('pk', 'sk'),
    ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
    ConsistentRead: true,
  });

/** Reads items of the Gateway table in the order of their keys, a batch at a time as they are taken; absent ones are left out. */
export async function* readItems<T>(reader: StoreReader, keys: AsyncIterable<ItemKey>): AsyncGenerator<T> {
  let batch: ItemKey[] = [];
  for await (const key of keys) {
    batch.push(key);
    if (batch.length === BATCH_SIZE) {
      yield* await readBatch<T>(reader, batch);
      batch = [];
    }
  }
  yield* await readBatch<T>(reader, batch);
}

/** As {@link readItems}, of at most so many keys; asks for nothing when there are none. */
async function readBatch<T>(reader: StoreReader, keys: readonly ItemKey[]): Promise<T[]> {
  const table = reader.tables.gateway;
  const found = new Map<string, T>();
  let pending: readonly ItemKey[] = keys;
  for (let made = 1; pending.length > 0; made++) {
    const command = new BatchGetCommand({ RequestItems: { [table]: { Keys: [...pending], ConsistentRead: true } } });
    const { Responses, UnprocessedKeys } = await available(reader.client.send(command));
    const items = Responses?.[table];
    pending = (UnprocessedKeys?.[table]?.Keys ?? []) as ItemKey[];
    // Items that are not there are an empty list; no list is no answer.
    if (!items && pending.length === 0) throw new StoreUnavailableError('a batch came back without its items');
    for (const item of items ?? []) found.set(nameOf(item as ItemKey), item as T);
    if (pending.length === 0) break;
    if (made === MAX_ATTEMPTS) throw new StoreUnavailableError('the store left keys of a batch unprocessed');
    await reader.sleep(jitteredDelayMs(made, reader.random), NO_DEADLINE);
  }
  return keys.flatMap((key) => found.get(nameOf(key)) ?? []);
}

const nameOf = ({ pk, sk }: ItemKey): string => `${pk} ${sk}`;
