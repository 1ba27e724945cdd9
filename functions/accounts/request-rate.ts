import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { isoTime, MS_PER_MINUTE, MS_PER_SECOND, secondsUntil } from '../core/clock.ts';
import { callOptions, writeItem } from '../store/items.ts';
import { accountItemKey } from './account-items.ts';
import type { Caller, Change, ControlPlane } from './control-plane.ts';
import { counted, counting, type Counter } from './counters.ts';
import { TooManyRequestsError } from './refusals.ts';
import { usedBy } from './used-limits.ts';

/** Who does it: by the identity, which the profile does not take along when it is deleted. */
type Person = Pick<Caller, 'userId' | 'identityHash'>;

/** Counts a change of a person, as a part of that change. */
export const countedChange = (plane: ControlPlane, caller: Caller): Promise<Change> =>
  inMinute(plane, caller, 'CHANGES', caller.limits.changesPerMinute);

/** Counts a sign-in in the same way. */
export const countedSignIn = (plane: ControlPlane, person: Person, perMinute: number): Promise<Change> =>
  inMinute(plane, person, 'SIGN-INS', perMinute);

async function inMinute(plane: ControlPlane, ...counts: CountedPerson): Promise<Change> {
  const counter = await counterOf(plane, ...counts);
  return counted(plane, counter, () => tooMany(plane, counter));
}

/**
 * Counts a read of usage or events of the person in whose hands the plane is. Throws `TooManyRequestsError` when the minute
 * is used up.
 */
export async function countRead(plane: ControlPlane): Promise<void> {
  const { caller } = plane;
  if (!caller) throw new Error('the reads of an operator are not counted');
  const counter = await counterOf(plane, caller, 'READS', caller.limits.readsPerMinute);
  const command = new UpdateCommand(counting(plane, counter));
  try {
    await writeItem(plane, () => plane.client.send(command, callOptions(plane)));
  } catch (error) {
    throw error instanceof ConditionalCheckFailedException ? tooMany(plane, counter) : error;
  }
}

type CountedPerson = [person: Person, kind: 'CHANGES' | 'READS' | 'SIGN-INS', limit: number];

async function counterOf(plane: ControlPlane, ...[person, kind, limit]: CountedPerson): Promise<Counter> {
  const startMs = Math.floor(plane.clock.now() / MS_PER_MINUTE) * MS_PER_MINUTE;
  return {
    key: accountItemKey.minute(await usedBy(plane, person), kind, isoTime(startMs)),
    limit,
    endEpochSeconds: (startMs + MS_PER_MINUTE) / MS_PER_SECOND,
  };
}

const tooMany = ({ clock }: ControlPlane, { endEpochSeconds }: Counter): TooManyRequestsError =>
  new TooManyRequestsError(secondsUntil(endEpochSeconds, clock.now()));
