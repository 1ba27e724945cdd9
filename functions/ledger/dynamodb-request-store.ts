import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { RequestStore } from '../core/request-store.ts';
import { admit } from './admission.ts';
import type { ConflictRetry } from '../store/client.ts';
import { oncePerMinuteKey } from '../store/items.ts';
import type { LedgerSettings } from './quota-charge.ts';
import { appendEvent, charge } from './settlement.ts';
import { readReplay, readSnapshot } from './snapshot.ts';

export interface RequestStoreDependencies extends Omit<ConflictRetry, 'deadline'>, LedgerSettings {
  readonly client: DynamoDBDocumentClient;
  /** A fresh idempotency token for DynamoDB, at most 36 characters. */
  readonly newId: () => string;
}

/** The gateway's store on DynamoDB. */
export function dynamoDbRequestStore(dependencies: RequestStoreDependencies): RequestStore {
  const { client, tables, usageRetentionDays, newId, ...timing } = dependencies;
  const ledger: LedgerSettings = { tables, usageRetentionDays };
  const sharded = new Set<string>();
  const snapshot: RequestStore['readSnapshot'] = (query, deadline) =>
    readSnapshot(client, tables.gateway, sharded, query, { deadline, ...timing });
  return {
    admit: (keyHash, required, nowMs, deadline) =>
      admit(client, tables.gateway, keyHash, required, nowMs, { deadline, ...timing }),
    readSnapshot: snapshot,
    readReplay: (projectId, replayId, nowMs, deadline) =>
      readReplay(client, tables.gateway, projectId, replayId, nowMs, { deadline, ...timing }),
    charge: (charged, deadline) => {
      const { event, period, receivedAtMs: nowMs } = charged;
      const readAgain = () => snapshot({ projectId: event.projectId, period, replayId: undefined, nowMs }, deadline);
      return charge(client, ledger, charged, readAgain, newId, { deadline, ...timing });
    },
    appendEvent: (event, deadline) => appendEvent(client, ledger, event, { deadline, ...timing }),
    appendEventOncePerMinute: (event, deadline) =>
      appendEvent(client, ledger, event, { deadline, ...timing }, oncePerMinuteKey(event)),
  };
}
