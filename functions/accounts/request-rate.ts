import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { isoTime, MS_PER_MINUTE, MS_PER_SECOND, secondsUntil } from '../core/clock.ts';
import { callOptions, writeItem } from '../store/items.ts';
import { names } from '../store/table-items.ts';
import { accountItemKey } from './account-items.ts';
import type { Caller, Change, ControlPlane } from './control-plane.ts';
import { TooManyRequestsError } from './refusals.ts';
import { usedBy } from './used-limits.ts';

/** A minute's count may be deleted so long after it: clocks of instances differ by less. */
const KEPT_SECONDS = 3_600;

/** Who does it: by the identity, which the profile does not take along when it is deleted. */
type Counted = Pick<Caller, 'userId' | 'identityHash'>;

/**
 * Counts a change of a person, as a part of that change: what is refused counts nothing, and no two changes get the last
 * place of a minute. Each minute has an item of its own, so that one expression does for a new minute too.
 */
export const countedChange = (plane: ControlPlane, caller: Caller): Promise<Change> =>
  counted(plane, caller, 'CHANGES', caller.limits.changesPerMinute);

/** Counts a sign-in in the same way. */
export const countedSignIn = (plane: ControlPlane, person: Counted, perMinute: number): Promise<Change> =>
  counted(plane, person, 'SIGN-INS', perMinute);

async function counted(...counting: Parameters<typeof countOf>): Promise<Change> {
  const { update, refused } = await countOf(...counting);
  return { write: { Update: update }, refusal: refused };
}

/**
 * Counts a read of usage or events of the person in whose hands the plane is. Throws `TooManyRequestsError` when the minute
 * is used up.
 */
export async function countRead(plane: ControlPlane): Promise<void> {
  const { caller } = plane;
  if (!caller) throw new Error('the reads of an operator are not counted');
  const { update, refused } = await countOf(plane, caller, 'READS', caller.limits.readsPerMinute);
  try {
    await writeItem(plane, () => plane.client.send(new UpdateCommand(update), callOptions(plane)));
  } catch (error) {
    throw error instanceof ConditionalCheckFailedException ? refused() : error;
  }
}

async function countOf(
  plane: ControlPlane,
  person: Counted,
  kind: 'CHANGES' | 'READS' | 'SIGN-INS',
  limit: number,
): Promise<{ update: UpdateCommandInput & { UpdateExpression: string }; refused: () => TooManyRequestsError }> {
  const nowMs = plane.clock.now();
  const startMs = Math.floor(nowMs / MS_PER_MINUTE) * MS_PER_MINUTE;
  const endEpochSeconds = (startMs + MS_PER_MINUTE) / MS_PER_SECOND;
  return {
    update: {
      TableName: plane.tables.gateway,
      Key: accountItemKey.minute(await usedBy(plane, person), kind, isoTime(startMs)),
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
