import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { names, type ItemKey } from '../shared/store/items.ts';
import type { Change, AccountStore } from './account-store.ts';
import type { RefusedError } from './refusals.ts';

/** A count may be deleted this long after its time: the clocks of instances differ by less. */
const KEPT_SECONDS = 3_600;

/** A counter for one span of time, in its own item, so that one expression also starts a new span. */
export interface Counter {
  readonly key: ItemKey;
  /** The greatest count. */
  readonly limit: number;
  /** The end of the span. */
  readonly endEpochSeconds: number;
}

/** Adds one to a count, unless the limit is reached. Parallel requests never exceed it. */
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

/** The same as a part of a change. A refused change counts nothing. */
export const counted = (store: AccountStore, counter: Counter, refusal: () => RefusedError): Change => ({
  write: { Update: counting(store, counter) },
  refusal,
});
