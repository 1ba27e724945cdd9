import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBDocumentClient, TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { RandomBytes } from '../core/base62.ts';
import type { Clock } from '../core/clock.ts';
import { retryConflicts, type CancellationReasons, type ConflictRetry } from './conflicts.ts';
import { ABSENT, type ItemKey, type TableNames } from './table-items.ts';

/** What the operations of the control plane need. */
export interface ControlPlane {
  readonly client: DynamoDBDocumentClient;
  readonly tables: TableNames;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  readonly sleep: ConflictRetry['sleep'];
  readonly random: ConflictRetry['random'];
}

/** An operator waits for as long as the attempts take. */
export const NO_DEADLINE: AbortSignal = new AbortController().signal;

/** An operation that cannot be done as asked; the message is for the operator. Nothing was written. */
export class ControlPlaneError extends Error {
  override readonly name = 'ControlPlaneError';
}

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** One write of a change, with what it means when its condition fails. */
export interface Change {
  readonly write: TransactItem;
  readonly refusal?: string;
}

/** Puts an item that must not exist yet. */
export const create = ({ tables }: ControlPlane, item: ItemKey & Record<string, unknown>): Change => ({
  write: { Put: { TableName: tables.gateway, Item: item, ConditionExpression: ABSENT } },
});

/** Requires an item to exist, or refuses the change with this message. */
export const requireItem = ({ tables }: ControlPlane, key: ItemKey, refusal: string): Change => ({
  write: { ConditionCheck: { TableName: tables.gateway, Key: key, ConditionExpression: `NOT ${ABSENT}` } },
  refusal,
});

/** Makes all changes or none. Throws {@link ControlPlaneError} with the refusal of the first that is not possible. */
export async function commit(plane: ControlPlane, changes: readonly Change[]): Promise<void> {
  const TransactItems = changes.map(({ write }) => write);
  const refusal = await whenFree<string | false>(
    plane,
    async () => {
      await plane.client.send(new TransactWriteCommand({ TransactItems }));
      return false;
    },
    (reasons) => changes[reasons.findIndex(({ Code }) => Code === 'ConditionalCheckFailed')]?.refusal,
  );
  if (refusal !== false) throw new ControlPlaneError(refusal);
}

/** Runs a write, again after a while when a request or another change holds its item. */
export const whenFree = <T>(
  { sleep, random }: ControlPlane,
  attempt: () => Promise<T>,
  decide?: (reasons: CancellationReasons) => T | undefined,
): Promise<T> => retryConflicts(attempt, { sleep, random, deadline: NO_DEADLINE }, decide);
