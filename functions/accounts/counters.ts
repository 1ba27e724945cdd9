import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { names, type ItemKey } from '../store/items.ts';
import type { Change, AccountStore } from './account-store.ts';
import type { RefusedError } from './refusals.ts';

/** A count may be deleted so long after its time: clocks of instances differ by less. */
const KEPT_SECONDS = 3_600;

/** What is counted in one span of time, in an item of its own, so that one expression does for a new span too. */
export interface Counter {
  readonly key: ItemKey;
  /** As many as there may be. */
  readonly limit: number;
  /** When the span is over. */
  readonly endEpochSeconds: number;
}

/** Adds one to a count, unless there are as many as there may be: of many at once none gets a place that is taken. */
export const counting = (
  { tables }: Pick<AccountStore, 'tables'>,
  { key, limit, endEpochSeconds }: Counter,
): UpdateCommandInput & { UpdateExpression: string } => ({
  TableName: tables.gateway,
  Key: key,
  UpdateExpression: 'SET #count = if_not_exists(#count, :zero) + :one, #ttl = :ttl',
  ConditionExpression: 'attribute_not_exists(#count) OR #count < :limit',
  ExpressionAttributeNames: names('count', 'ttl'),
  ExpressionAttributeValues: {
    ':zero': 0,
    ':one': 1,
    ':limit': limit,
    ':ttl': endEpochSeconds + KEPT_SECONDS,
  },
});

/** The same as a part of a change: what is refused counts nothing. */
export const counted = (store: AccountStore, counter: Counter, refusal: () => RefusedError): Change => ({
  write: { Update: counting(store, counter) },
  refusal,
});
