import { QueryCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { StoreUnavailableError } from '../http/errors.ts';
import { isOneLayout, MAX_SHARDS, type QuotaCounter, type QuotaShard } from '../request/quota-shards.ts';
import { available, listed, type ConflictRetry } from './client.ts';
import { itemKey, type ItemKey } from './items.ts';
import { queryOf, readTransaction } from './tables.ts';

/** A quota counter as stored, with its layout if it has lent units: see `shared/request/quota-shards.ts`. */
export interface CounterItem {
  readonly units?: number;
  readonly generation?: number;
  readonly shards?: number;
  /** Absent: none was enforced. */
  readonly limit?: number;
  /** How often the platform team corrected it to the sum of the events. */
  readonly repairs?: number;
}

/** A shard as stored. */
export type ShardItem = ItemKey & Omit<QuotaShard, 'index'>;

/** Every key of a counter: its own, and those of its shards. */
export const counterKeys = (projectId: string, periodId: string): [ItemKey, ...ItemKey[]] => [
  itemKey.quota(projectId, periodId),
  ...Array.from({ length: MAX_SHARDS }, (_, index) => itemKey.quotaShard(projectId, periodId, index)),
];

/** The counter in these items; each item may be absent. */
export const counterOf = (item: CounterItem = {}, shards: readonly ShardItem[] = []): QuotaCounter => ({
  units: item.units ?? 0,
  ...(item.generation !== undefined && {
    layout: { generation: item.generation, shards: item.shards ?? 1, limit: item.limit },
  }),
  shards: shards.map(shardOf),
});

/** The shard in an item. */
const shardOf = ({ sk, left, generation }: ShardItem): QuotaShard => ({
  index: Number(sk.slice(sk.lastIndexOf('#') + 1)),
  left,
  generation,
});

/**
 * Reads a counter with its shards, in one query. If a layout was made meanwhile, it reads them in one transaction,
 * which conflicts with a layout and is retried.
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
      // The prefix of a month is also that of its days, if the quota was counted by day before.
      items.filter((item): item is ShardItem => shardKeys.some(({ sk }) => sk === item?.sk)),
    );
  const query = new QueryCommand(queryOf(table, base.pk, { prefix: base.sk }));
  const answer = await available(client.send(query, { abortSignal: retry.deadline }));
  if (answer.LastEvaluatedKey) throw new StoreUnavailableError('a query of a few small items came back in part');
  const counter = asCounter(listed(answer) as ItemKey[]);
  if (isOneLayout(counter)) return counter;

  const reads = [base, ...shardKeys].map((Key) => ({ TableName: table, Key }));
  return asCounter((await readTransaction(client, reads, retry)) as (ItemKey | undefined)[]);
}
