import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { chargeStep, isSharded, unitsUsed, type ChargeStep, type Quota } from '../core/quota-shards.ts';
import type { Charge, Settlement } from '../core/request-store.ts';
import { AT_ONCE, type CancellationReasons, type ConflictRetry } from '../store/conflicts.ts';
import { counterOf } from '../store/quota-counter.ts';
import { counterUpdate, layoutWrites, shardUpdate, type Books, type QuotaWrites } from './quota-writes.ts';
import { readReplay } from './snapshot.ts';

/** What the attempts of one settlement charge, each as the one before it has shown. */
export interface QuotaCharge {
  /** The writes of the next attempt, or what becomes of the settlement where too few units are left. */
  readonly next: () => Promise<QuotaWrites | Settlement>;
  /**
   * What the reasons of a cancellation say of the quota, where those of event and replay record decide nothing.
   * Undefined: nothing, but that another attempt may succeed.
   */
  readonly refused: (reasons: CancellationReasons) => Settlement | typeof AT_ONCE | undefined;
}

/** Charges by the rule of `core/quota-shards.ts`, from what the request has read on. */
export function quotaCharge(
  client: DynamoDBDocumentClient,
  books: Books,
  charged: Charge,
  readAgain: () => Promise<Quota>,
  retry: ConflictRetry,
): QuotaCharge {
  const { event, replay, receivedAtMs } = charged;
  const { projectId, units } = event;
  /** Undefined: it is another by now. */
  let quota: Quota | undefined = charged;
  let step: ChargeStep | undefined;
  /** Shards that other transactions held a moment ago. */
  const busy = new Set<number>();
  const stepFrom = (known: Quota) => chargeStep(known, units, busy, retry.random);

  return {
    next: async () => {
      quota ??= await readAgain();
      step = stepFrom(quota);
      switch (step.on) {
        case 'counter':
          return [counterUpdate(books, charged, quota)];
        case 'shard':
          return [shardUpdate(books, charged, quota, step.shard)];
        case 'all':
          return layoutWrites(books, charged, quota.counter, step.to);
        case 'nothing': {
          // A duplicate may have spent them, since the last attempt saw that it has left no record.
          const record =
            replay && (await readReplay(client, books.tables.gateway, projectId, replay.id, receivedAtMs, retry));
          if (record) return { outcome: 'duplicate', record };
          return { outcome: 'quotaExhausted', unitsUsed: unitsUsed(quota.counter), quotaLimit: quota.quotaLimit };
        }
      }
    },
    refused: (reasons) => {
      const [first] = reasons;
      const hasFailed = reasons.some(({ Code }) => Code === 'ConditionalCheckFailed');
      if (step?.on === 'counter' && hasFailed) {
        const { units: used, layout } = counterOf(first?.Item && unmarshall(first.Item));
        if (!isSharded(1, layout)) {
          return { outcome: 'quotaExhausted', unitsUsed: used, quotaLimit: quota?.quotaLimit };
        }
      }
      if (step?.on === 'shard' && first?.Code === 'TransactionConflict' && quota) {
        busy.add(step.shard.index);
        const other = stepFrom(quota);
        if (other.on === 'shard' && !busy.has(other.shard.index)) return AT_ONCE;
        busy.clear();
        return undefined;
      }
      // Used up, or laid out anew, since it was read.
      if (hasFailed || step?.on === 'all') quota = undefined;
      return hasFailed ? AT_ONCE : undefined;
    },
  };
}
