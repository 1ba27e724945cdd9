import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { DynamoDBDocumentClient, TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { RandomBytes } from '../core/base62.ts';
import type { Clock } from '../core/clock.ts';
import { available } from './store.ts';
import { ABSENT, type ItemKey, type TableNames } from './table-items.ts';

/** What the operations of the control plane need. */
export interface ControlPlane {
  readonly client: DynamoDBDocumentClient;
  readonly tables: TableNames;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

/** An operation that cannot be done as asked; the message is for the operator. Nothing was written. */
export class ControlPlaneError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ControlPlaneError';
  }
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
export async function commit({ client }: ControlPlane, changes: readonly Change[]): Promise<void> {
  const command = new TransactWriteCommand({ TransactItems: changes.map(({ write }) => write) });
  try {
    await available(client.send(command));
  } catch (error) {
    if (!(error instanceof TransactionCanceledException)) throw error;
    const failed = (error.CancellationReasons ?? []).findIndex(({ Code }) => Code === 'ConditionalCheckFailed');
    throw new ControlPlaneError(changes[failed]?.refusal ?? 'Another change came first; try again.', error);
  }
}
