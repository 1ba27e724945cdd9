import { QueryCommand, TransactGetCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { StoreUnavailableError } from '../core/errors.ts';
import { isOneLayout, MAX_SHARDS, type QuotaCounter, type QuotaShard } from '../core/quota-shards.ts';
import { available, listed, retryConflicts, type ConflictRetry } from './client.ts';
import { itemKey, names, type ItemKey } from './items.ts';

/** A quota counter as stored. Where it has lent units, also how: see `core/quota-shards.ts`. */
export interface CounterItem {
  readonly units?: number;
  readonly generation?: number;
  readonly shards?: number;
  /** Absent: none was enforced. */
  readonly limit?: number;
  /** How often an operator brought it to the events. */
  readonly repairs?: number;
}

/** A shard as stored. */
export type ShardItem = ItemKey & Omit<QuotaShard, 'index'>;

/** Every key that a counter can have: its own, and those of its shards. */
export const counterKeys = (projectId: string, periodId: string): [ItemKey, ...ItemKey[]] => [
  itemKey.quota(projectId, periodId),
  ...Array.from({ length: MAX_SHARDS }, (_, index) => itemKey.quotaShard(projectId, periodId, index)),
];

/** The counter that items are, of which none needs to be there. */
export const counterOf = (item: CounterItem = {}, shards: readonly ShardItem[] = []): QuotaCounter => ({
  units: item.units ?? 0,
  ...(item.generation !== undefined && {
    layout: { generation: item.generation, shards: item.shards ?? 1, limit: item.limit },
  }),
  shards: shards.map(shardOf),
});

/** The shard that an item is. */
const shardOf = ({ sk, left, generation }: ShardItem): QuotaShard => ({
  index: Number(sk.slice(sk.lastIndexOf('#') + 1)),
  left,
  generation,
});

/**
 * Reads a counter with its shards, in one query. Where a layout came in between, they are read in one transaction, which
 * conflicts with it and is repeated.
 */
export async function readQuotaCounter(
  client: DynamoDBDocumentClient,
  table: string,
  projectId: string,
  periodId: string,
  retry: ConflictRetry,
): Promise<QuotaCounter> {
  const [base, ...shardKeys] = counterKeys(projectId, periodId);
  const asCounter = (items: readonly (ItemKey | undefined)[]): QuotaCounter =>
    counterOf(
      items.find((item) => item?.sk === base.sk) as CounterItem | undefined,
      // A month's prefix is also that of its days, where the quota was counted by the day before.
      items.filter((item): item is ShardItem => shardKeys.some(({ sk }) => sk === item?.sk)),
    );
  const query = new QueryCommand({
    TableName: table,
    KeyConditionExpression: '#pk = :pk AND begins_with(#sk, :prefix)',
    ExpressionAttributeNames: names('pk', 'sk'),
    ExpressionAttributeValues: { ':pk': base.pk, ':prefix': base.sk },
    ConsistentRead: true,
  });
  const answer = await available(client.send(query, { abortSignal: retry.deadline }));
  if (answer.LastEvaluatedKey) throw new StoreUnavailableError('a query of a few small items came back in part');
  const counter = asCounter(listed(answer) as ItemKey[]);
  if (isOneLayout(counter)) return counter;

  const TransactItems = [base, ...shardKeys].map((Key) => ({ Get: { TableName: table, Key } }));
  const reading = new TransactGetCommand({ TransactItems });
  const { Responses } = await retryConflicts(() => client.send(reading, { abortSignal: retry.deadline }), retry);
  if (!Responses) throw new StoreUnavailableError('a transaction came back without its items');
  return asCounter(Responses.map(({ Item }) => Item as ItemKey | undefined));
}
