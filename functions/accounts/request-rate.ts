import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { isoTime, MS_PER_MINUTE, MS_PER_SECOND, secondsUntil } from '../core/clock.ts';
import { callOptions, writeItem } from '../store/items.ts';
import { names } from '../store/table-items.ts';
import { accountItemKey } from './account-items.ts';
import type { Caller, Change, ControlPlane } from './control-plane.ts';
import { TooManyRequestsError } from './refusals.ts';

/** A minute's count may be deleted so long after it: clocks of instances differ by less. */
const KEPT_SECONDS = 3_600;

/**
 * Counts a change of a person, as a part of that change: what is refused counts nothing, and no two changes get the last
 * place of a minute. Each minute has an item of its own, so that one expression does for a new minute too.
 */
export const countedChange = (plane: ControlPlane, caller: Caller): Change => {
  const { update, refused } = counting(plane, caller.userId, 'CHANGES', caller.limits.changesPerMinute);
  return { write: { Update: update }, refusal: refused };
};

/**
 * Counts a read of usage or events of the person in whose hands the plane is. Throws `TooManyRequestsError` when the minute
 * is used up.
 */
export async function countRead(plane: ControlPlane): Promise<void> {
  const { caller } = plane;
  if (!caller) throw new Error('the reads of an operator are not counted');
  const { update, refused } = counting(plane, caller.userId, 'READS', caller.limits.readsPerMinute);
  try {
    await writeItem(plane, () => plane.client.send(new UpdateCommand(update), callOptions(plane)));
  } catch (error) {
    throw error instanceof ConditionalCheckFailedException ? refused() : error;
  }
}

function counting(
  { clock, tables }: ControlPlane,
  userId: string,
  kind: 'CHANGES' | 'READS',
  limit: number,
): { update: UpdateCommandInput & { UpdateExpression: string }; refused: () => TooManyRequestsError } {
  const nowMs = clock.now();
  const startMs = Math.floor(nowMs / MS_PER_MINUTE) * MS_PER_MINUTE;
  const endEpochSeconds = (startMs + MS_PER_MINUTE) / MS_PER_SECOND;
  return {
    update: {
      TableName: tables.gateway,
      Key: accountItemKey.minute(userId, kind, isoTime(startMs)),
      UpdateExpression: 'SET #count = if_not_exists(#count, :zero) + :one, #ttl = :ttl',
      ConditionExpression: 'attribute_not_exists(#count) OR #count < :limit',
      ExpressionAttributeNames: names('count', 'ttl'),
      ExpressionAttributeValues: {
        ':zero': 0,
        ':one': 1,
        ':limit': limit,
        ':ttl': endEpochSeconds + KEPT_SECONDS,
      },
    },
    refused: () => new TooManyRequestsError(secondsUntil(endEpochSeconds, nowMs)),
  };
}
