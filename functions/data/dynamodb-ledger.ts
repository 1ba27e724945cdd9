import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Ledger } from '../core/ledger.ts';
import { admit } from './admission.ts';
import type { ConflictRetry } from './conflicts.ts';
import { appendEvent, charge, oncePerMinuteKey } from './settlement.ts';
import { readReplay, readSnapshot } from './snapshot.ts';
import type { TableNames } from './table-items.ts';

export interface LedgerDependencies extends Omit<ConflictRetry, 'deadline'> {
  readonly client: DynamoDBDocumentClient;
  readonly tables: TableNames;
  /** A fresh idempotency token for DynamoDB, at most 36 characters. */
  readonly newId: () => string;
}

/** The gateway's store on DynamoDB. */
export function dynamoDbLedger({ client, tables, newId, ...timing }: LedgerDependencies): Ledger {
  return {
    admit: (keyHash, required, nowMs, deadline) =>
      admit(client, tables.gateway, keyHash, required, nowMs, { deadline, ...timing }),
    readSnapshot: (...args) => readSnapshot(client, tables.gateway, ...args),
    readReplay: (projectId, replayId, nowMs, deadline) =>
      readReplay(client, tables.gateway, projectId, replayId, nowMs, { deadline, ...timing }),
    charge: (charged, deadline) => charge(client, tables, charged, newId, { deadline, ...timing }),
    appendEvent: (event, deadline) => appendEvent(client, tables, event, deadline),
    appendEventOncePerMinute: (event, deadline) =>
      appendEvent(client, tables, event, deadline, oncePerMinuteKey(event)),
  };
}
