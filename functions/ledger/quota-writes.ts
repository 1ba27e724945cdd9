import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { MS_PER_DAY, MS_PER_SECOND } from '../core/clock.ts';
import type { Quota, QuotaCounter, QuotaLayout, QuotaShard } from '../core/quota-shards.ts';
import type { Charge } from '../core/request-store.ts';
import { ABSENT, itemKey, names, type TableNames } from '../store/table-items.ts';

/** Where the ledger is, and how long it keeps what was charged: events, and the counters that outlive them. */
export interface Books {
  readonly tables: TableNames;
  readonly usageRetentionDays: number;
}

export type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** What an attempt writes of the quota; there may be more than one item. */
export type QuotaWrites = readonly [TransactItem, ...TransactItem[]];

export const SECONDS_PER_DAY = MS_PER_DAY / MS_PER_SECOND;
const ttlOf = ({ usageRetentionDays }: Books, { period }: Charge): number =>
  period.endsAtEpochSeconds + usageRetentionDays * SECONDS_PER_DAY;

/**
 * Charges the counter itself, as long as nothing of it is lent: under a limit that was changed meanwhile, units would be
 * charged beside those that were lent under the new one.
 */
export function counterUpdate(books: Books, charged: Charge, { quotaLimit }: Quota): TransactItem {
  const { event, period } = charged;
  const isUnderLimit = quotaLimit === undefined ? '' : '(attribute_not_exists(#units) OR #units <= :ceiling) AND ';
  return {
    Update: {
      TableName: books.tables.gateway,
      Key: itemKey.quota(event.projectId, period.id),
      UpdateExpression: 'SET #units = if_not_exists(#units, :zero) + :units, #ttl = :ttl',
      ConditionExpression: `${isUnderLimit}(attribute_not_exists(#shards) OR #shards = :one)`,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ExpressionAttributeNames: names('units', 'ttl', 'shards'),
      ExpressionAttributeValues: {
        ':zero': 0,
        ':one': 1,
        ':units': event.units,
        ':ttl': ttlOf(books, charged),
        ...(quotaLimit !== undefined && { ':ceiling': quotaLimit - event.units }),
      },
    },
  };
}

/** Charges one shard, as long as it is of the layout that was read. */
export function shardUpdate(
  { tables }: Books,
  { event, period }: Charge,
  { quotaLimit }: Quota,
  { index, generation }: QuotaShard,
): TransactItem {
  const isEnough = quotaLimit === undefined ? '' : ' AND #left >= :units';
  return {
    Update: {
      TableName: tables.gateway,
      Key: itemKey.quotaShard(event.projectId, period.id, index),
      UpdateExpression: 'SET #left = #left - :units',
      ConditionExpression: `#generation = :generation${isEnough}`,
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      ExpressionAttributeNames: names('left', 'generation'),
      ExpressionAttributeValues: { ':units': event.units, ':generation': generation },
    },
  };
}

/** Writes a new layout to the counter and all its shards, as long as each is as it was read. */
export function layoutWrites(
  books: Books,
  charged: Charge,
  was: QuotaCounter,
  to: QuotaCounter & { readonly layout: QuotaLayout },
): QuotaWrites {
  const { event, period } = charged;
  const TableName = books.tables.gateway;
  const ttl = ttlOf(books, charged);
  const sameUnits = was.units === 0 ? '(attribute_not_exists(#units) OR #units = :was)' : '#units = :was';
  const sameLayout = was.layout ? '#generation = :generationWas' : 'attribute_not_exists(#generation)';
  const { limit } = to.layout;
  const counter: TransactItem = {
    Update: {
      TableName,
      Key: itemKey.quota(event.projectId, period.id),
      UpdateExpression: `SET #units = :units, #ttl = :ttl, #generation = :generation, #shards = :shards${
        limit === undefined ? ' REMOVE #limit' : ', #limit = :limit'
      }`,
      ConditionExpression: `${sameUnits} AND ${sameLayout}`,
      ExpressionAttributeNames: names('units', 'ttl', 'generation', 'shards', 'limit'),
      ExpressionAttributeValues: {
        ...{ ':units': to.units, ':was': was.units, ':ttl': ttl, ':shards': to.layout.shards },
        ':generation': to.layout.generation,
        ...(limit !== undefined && { ':limit': limit }),
        ...(was.layout && { ':generationWas': was.layout.generation }),
      },
    },
  };
  const shards = to.shards.map(({ index, left, generation }): TransactItem => {
    const seen = was.shards.find((shard) => shard.index === index);
    return {
      Put: {
        TableName,
        Item: { ...itemKey.quotaShard(event.projectId, period.id, index), left, generation, ttl },
        ...(seen
          ? {
              ConditionExpression: '#left = :left AND #generation = :generation',
              ExpressionAttributeNames: names('left', 'generation'),
              ExpressionAttributeValues: { ':left': seen.left, ':generation': seen.generation },
            }
          : { ConditionExpression: ABSENT }),
      },
    };
  });
  return [counter, ...shards];
}
