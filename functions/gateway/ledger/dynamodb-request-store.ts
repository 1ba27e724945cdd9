import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { Deadline } from '../../shared/deadline.ts';
import { countedCap, type Quota } from '../../shared/request/quota-shards.ts';
import type { RequestStore } from '../../shared/request/request-store.ts';
import { admit } from './admission.ts';
import type { ConflictRetry } from '../../shared/store/client.ts';
import { oncePerMinuteKey } from '../../shared/store/items.ts';
import type { LedgerSettings } from './quota-charge.ts';
import { appendEvent, charge } from './settlement.ts';
import { MAX_REMEMBERED, readCapCounter, readReplay, readSnapshot } from './snapshot.ts';

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
  /**
   * The ids of caps, by the hashes of their keys: the snapshot reads these counters in parallel to the admission, which
   * returns the cap only later.
   */
  const capIds = new Map<string, string>();
  const snapshot = (query: Parameters<typeof readSnapshot>[3], deadline: Deadline) =>
    readSnapshot(client, tables.gateway, sharded, query, { deadline, ...timing });
  return {
    admit: async (keyHash, required, nowMs, deadline) => {
      const retry = { deadline, ...timing };
      const admission = await admit(client, tables.gateway, keyHash, required, nowMs, retry);
      const cap = admission.outcome === 'refused' ? undefined : admission.cap;
      if (capIds.size >= MAX_REMEMBERED) capIds.clear();
      if (cap) capIds.set(keyHash, cap.id);
      else capIds.delete(keyHash);
      return admission;
    },
    readSnapshot: ({ keyHash, ...query }, deadline) => snapshot({ ...query, capId: capIds.get(keyHash) }, deadline),
    readCapCounter: (query, deadline) => readCapCounter(client, tables.gateway, query, { deadline, ...timing }),
    readReplay: (projectId, replayId, nowMs, deadline) =>
      readReplay(client, tables.gateway, projectId, replayId, nowMs, { deadline, ...timing }),
    charge: (charged, deadline) => {
      const { event, period, cap, receivedAtMs: nowMs } = charged;
      const query = { projectId: event.projectId, period, replayId: undefined, capId: cap?.id, nowMs };
      const readAgain = async (): Promise<Quota> => {
        const { capCounter, ...quota } = await snapshot(query, deadline);
        return { ...quota, ...(cap && capCounter && { cap: countedCap(cap, capCounter) }) };
      };
      return charge(client, ledger, charged, readAgain, newId, { deadline, ...timing });
    },
    appendEvent: (event, deadline) => appendEvent(client, ledger, event, { deadline, ...timing }),
    appendEventOncePerMinute: (event, deadline) =>
      appendEvent(client, ledger, event, { deadline, ...timing }, oncePerMinuteKey(event)),
  };
}
