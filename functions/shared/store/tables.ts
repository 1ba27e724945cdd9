import {
  BatchGetCommand,
  GetCommand,
  QueryCommand,
  TransactGetCommand,
  type DynamoDBDocumentClient,
  type QueryCommandInput,
  type TransactWriteCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { TABLE_ATTRIBUTES } from '../names.ts';
import type { Deadline } from '../deadline.ts';
import { allFulfilled } from '../fulfilled.ts';
import { StoreUnavailableError } from '../http/errors.ts';
import {
  available,
  jitteredDelayMs,
  listed,
  MAX_ATTEMPTS,
  NO_DEADLINE,
  queryItems,
  retryConflicts,
  type ConflictRetry,
} from './client.ts';
import type { ItemKey } from './items.ts';

/** Names of the two tables. */
export interface TableNames {
  /** State: keys, projects, quota counters, replay records, accounts, people. */
  readonly gateway: string;
  /** Usage events, append-only. */
  readonly usage: string;
}

/** One write of a transaction. */
export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** The tables, and the tools to read and write them. */
export interface Store {
  readonly client: DynamoDBDocumentClient;
  readonly tables: TableNames;
  readonly sleep: ConflictRetry['sleep'];
  readonly random: ConflictRetry['random'];
  /** The deadline of every call; absent: none. */
  readonly deadline?: Deadline;
}

/** Attribute aliases of an expression: many of our names are reserved words. `names('a')` is `{ '#a': 'a' }`. */
export const names = (...attributes: string[]): Record<string, string> =>
  Object.fromEntries(attributes.map((attribute) => [`#${attribute}`, attribute]));

/** The condition that no item has this key yet. */
export const ABSENT = `attribute_not_exists(${TABLE_ATTRIBUTES.partitionKey})`;

/** Options of each call: the deadline, if there is one. */
export const callOptions = ({ deadline }: Pick<Store, 'deadline'>): { abortSignal?: AbortSignal } =>
  deadline ? { abortSignal: deadline } : {};

/** Writes one item. Retries while a transaction holds the item, which the SDK does not. */
export const writeItem = <T>({ sleep, random, deadline = NO_DEADLINE }: Store, send: () => Promise<T>) =>
  retryConflicts(send, { sleep, random, deadline });

/** The most items of one `BatchGetItem` (AWS, "BatchGetItem"). */
export const BATCH_SIZE = 100;

/** Reads one item of the Gateway table, consistently; undefined: it does not exist. */
export async function readItem<T>(reader: Store, key: ItemKey): Promise<T | undefined> {
  const command = new GetCommand({ TableName: reader.tables.gateway, Key: key, ConsistentRead: true });
  return (await available(reader.client.send(command, callOptions(reader)))).Item as T | undefined;
}

/** The sort keys that begin with a text, or those between two texts, both included. */
export type KeyRange = { readonly prefix: string } | { readonly since: string; readonly until: string };

/** A consistent query for the items of a partition, in the order of their sort keys; without a range for all. */
export function queryOf(table: string, pk: string, range?: KeyRange) {
  const ofRange = range && ('prefix' in range ? 'begins_with(#sk, :prefix)' : '#sk BETWEEN :since AND :until');
  return {
    TableName: table,
    KeyConditionExpression: ofRange === undefined ? '#pk = :pk' : `#pk = :pk AND ${ofRange}`,
    ExpressionAttributeNames: names('pk', ...(range ? ['sk'] : [])),
    ExpressionAttributeValues: Object.fromEntries(
      Object.entries({ pk, ...range }).map(([name, value]) => [`:${name}`, value]),
    ),
    ConsistentRead: true,
  };
}

/** The items of the first page of a query. */
export const readPage = async <T>(reader: Store, query: QueryCommandInput): Promise<T[]> =>
  listed(await available(reader.client.send(new QueryCommand(query), callOptions(reader)))) as T[];

/**
 * The items of a partition of the Gateway table whose sort keys begin with this one, in order. The next page is read
 * when the iteration needs it.
 *
 * @param pageSize items of one page; absent: 1 MB of them
 */
export const itemsFrom = <T = Record<string, unknown>>(
  { client, tables, deadline }: Store,
  { pk, sk: prefix }: ItemKey,
  pageSize?: number,
): AsyncGenerator<T> =>
  queryItems<T>(client, { ...queryOf(tables.gateway, pk, { prefix }), Limit: pageSize }, deadline);

/**
 * Reads items of the Gateway table in the order of their keys, batch by batch as the iteration needs them. Absent items
 * are omitted.
 */
export async function* readItems<T>(
  reader: Store,
  keys: AsyncIterable<ItemKey> | Iterable<ItemKey>,
): AsyncGenerator<T> {
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

/** As {@link readItems}, for one batch. Without keys it reads nothing. */
const readBatch = async <T>(reader: Store, keys: readonly ItemKey[]): Promise<T[]> =>
  (await readTogether<T>(reader, keys)).filter((item) => item !== undefined);

/**
 * Reads at most 100 items of the Gateway table in one round trip, consistently, in the order of their keys; undefined
 * for an item that does not exist. A key may be given twice.
 */
export async function readTogether<T = unknown>(
  reader: Omit<Store, 'tables'> & { readonly tables: Pick<TableNames, 'gateway'> },
  keys: readonly ItemKey[],
): Promise<(T | undefined)[]> {
  const table = reader.tables.gateway;
  const found = new Map<string, T>();
  // A batch with the same key twice is refused.
  let pending: readonly ItemKey[] = [...new Map(keys.map((key) => [nameOf(key), key])).values()];
  for (let made = 1; pending.length > 0; made++) {
    const command = new BatchGetCommand({ RequestItems: { [table]: { Keys: [...pending], ConsistentRead: true } } });
    const { Responses, UnprocessedKeys } = await available(reader.client.send(command, callOptions(reader)));
    const items = Responses?.[table];
    pending = (UnprocessedKeys?.[table]?.Keys ?? []) as ItemKey[];
    // Absent items are an empty list. Without a list the answer is invalid.
    if (!items && pending.length === 0) throw new StoreUnavailableError('a batch came back without its items');
    for (const item of items ?? []) found.set(nameOf(item as ItemKey), item as T);
    if (pending.length === 0) break;
    if (made === MAX_ATTEMPTS) throw new StoreUnavailableError('the store left keys of a batch unprocessed');
    await available(reader.sleep(jitteredDelayMs(made, reader.random), reader.deadline ?? NO_DEADLINE));
  }
  return keys.map((key) => found.get(nameOf(key)));
}

/** As {@link readTogether}, for any number of keys, in parallel batches. */
export async function readBatches<T = unknown>(reader: Store, keys: readonly ItemKey[]): Promise<(T | undefined)[]> {
  const batches = Array.from({ length: Math.ceil(keys.length / BATCH_SIZE) }, (_, i) =>
    readTogether<T>(reader, keys.slice(i * BATCH_SIZE, (i + 1) * BATCH_SIZE)),
  );
  return (await allFulfilled(batches)).flat();
}

/**
 * Reads at most 100 items in one transaction, in the order of the reads; undefined for an item that does not exist. It
 * sees no other transaction half applied: it conflicts with one that is under way, and is retried.
 */
export async function readTransaction(
  client: DynamoDBDocumentClient,
  reads: readonly { readonly TableName: string; readonly Key: ItemKey }[],
  retry: ConflictRetry,
): Promise<unknown[]> {
  const command = new TransactGetCommand({ TransactItems: reads.map((Get) => ({ Get })) });
  const { Responses } = await retryConflicts(() => client.send(command, { abortSignal: retry.deadline }), retry);
  // A missing answer is no absent item: it could become an event that was not charged, or a wrong repair.
  if (Responses?.length !== reads.length) throw new StoreUnavailableError('a transaction came back without its items');
  return Responses.map(({ Item }) => Item);
}

const nameOf = ({ pk, sk }: ItemKey): string => `${pk} ${sk}`;
