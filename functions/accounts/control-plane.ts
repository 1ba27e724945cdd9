import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { RandomBytes } from '../core/base62.ts';
import type { Clock } from '../core/clock.ts';
import type { KeyTagSecrets } from '../core/key-tag.ts';
import { jitteredDelayMs, MAX_ATTEMPTS, NO_DEADLINE, retryConflicts } from '../store/conflicts.ts';
import type { StoreReader } from '../store/items.ts';
import { ABSENT, type ItemKey } from '../store/table-items.ts';

/** What the operations of the control plane need. */
export interface ControlPlane extends StoreReader {
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** A fresh id, for the sort key of an audit event. */
  readonly newId: () => string;
  /** Who makes the changes, for the audit. Asked only when there is one; rejects when it cannot be found out. */
  readonly actor: () => Promise<string>;
  /** Under which new keys are tagged: the gateway's. Asked only when a key is made; rejects when they cannot be had. */
  readonly keyTagSecrets: () => Promise<KeyTagSecrets>;
}

/** An operation that cannot be done as asked; the message is for the operator. Nothing was written. */
export class ControlPlaneError extends Error {
  override readonly name: string = 'ControlPlaneError';
}

/** What a change was decided by is no longer so; nothing was written. */
class OvertakenError extends ControlPlaneError {
  override readonly name = 'OvertakenError';
}

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** One write of a change, with what it means when its condition fails. */
export interface Change {
  readonly write: TransactItem;
  readonly refusal?: string;
  /** Its condition is that what was read still holds: {@link whileOvertaken} may read again. */
  readonly overtakable?: true;
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

/**
 * Makes all changes or none. Throws {@link ControlPlaneError} with the refusal of the first that is not possible;
 * {@link OvertakenError} when that one was decided by what is no longer so.
 */
export async function commit(plane: ControlPlane, changes: readonly Change[]): Promise<void> {
  const TransactItems = changes.map(({ write }) => write);
  const { sleep, random } = plane;
  const failed = await retryConflicts<Change | false>(
    async () => {
      await plane.client.send(new TransactWriteCommand({ TransactItems }));
      return false;
    },
    { sleep, random, deadline: NO_DEADLINE },
    (reasons) => {
      const change = changes[reasons.findIndex(({ Code }) => Code === 'ConditionalCheckFailed')];
      return change?.refusal === undefined ? undefined : change;
    },
  );
  if (failed === false) return;
  throw failed.overtakable ? new OvertakenError(failed.refusal) : new ControlPlaneError(failed.refusal);
}

/** Makes a change that begins with a read, again when another change came in between, so often and no more. */
export async function whileOvertaken<T>({ sleep, random }: ControlPlane, change: () => Promise<T>): Promise<T> {
  for (let made = 1; ; made++) {
    try {
      return await change();
    } catch (error) {
      if (!(error instanceof OvertakenError) || made === MAX_ATTEMPTS) throw error;
    }
    await sleep(jitteredDelayMs(made, random), NO_DEADLINE);
  }
}
