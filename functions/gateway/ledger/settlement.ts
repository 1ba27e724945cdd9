import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { PutCommand, TransactWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { MS_PER_SECOND } from '../../shared/time.ts';
import { capNamed } from '../../shared/request/cap-period.ts';
import type { Quota } from '../../shared/request/quota-shards.ts';
import {
  FREE_EVENT_RETENTION_DAYS,
  REPLAY_RETENTION_SECONDS,
  type Charge,
  type Settlement,
} from '../../shared/request/request-store.ts';
import type { UsageEvent } from '../../shared/request/usage-event.ts';
import { hasFailed, retryConflicts, type CancellationReasons, type ConflictRetry } from '../../shared/store/client.ts';
import { eventKey, itemKey, type ItemKey } from '../../shared/store/items.ts';
import { ABSENT, names, type TransactItem } from '../../shared/store/tables.ts';
import { quotaCharge, SECONDS_PER_DAY, type LedgerSettings, type QuotaCharge } from './quota-charge.ts';
import { unexpired, type ReplayItem } from './snapshot.ts';

/**
 * Settles a success: charge, usage event and replay record in one transaction, all or nothing. After an ambiguous
 * outcome the SDK repeats the identical request under the same token. Only a definite cancellation gets a new token.
 */
export async function charge(
  client: DynamoDBDocumentClient,
  ledger: LedgerSettings,
  charged: Charge,
  readAgain: () => Promise<Quota>,
  newToken: () => string,
  retry: ConflictRetry,
): Promise<Settlement> {
  const event = { Put: eventPut(ledger, charged.event, eventKey(charged.event), charged.cap?.id) };
  const replay = charged.replay ? [replayPut(ledger, charged, charged.replay)] : [];
  const quota = quotaCharge(client, ledger, charged, readAgain, retry);
  const attempt = async (): Promise<Settlement> => {
    const writes = await quota.next();
    if ('outcome' in writes) return writes;
    const [first, ...others] = writes;
    const TransactItems = [first, event, ...replay, ...others];
    const command = new TransactWriteCommand({ TransactItems, ClientRequestToken: newToken() });
    await client.send(command, { abortSignal: retry.deadline });
    return { outcome: 'settled' };
  };
  return retryConflicts(attempt, retry, (reasons) => settlementOf(reasons, charged, quota.onCancelled));
}

/** Appends an event that charges nothing. If the event exists already, the SDK has repeated a lost answer. */
export async function appendEvent(
  client: DynamoDBDocumentClient,
  ledger: LedgerSettings,
  event: UsageEvent,
  retry: ConflictRetry,
  key: ItemKey = eventKey(event),
): Promise<void> {
  const command = new PutCommand(eventPut(ledger, event, key));
  try {
    await retryConflicts(() => client.send(command, { abortSignal: retry.deadline }), retry);
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}

/** Without a value they are not stored, and add no byte. A charged event has neither of the first two. */
const SPARSE: ReadonlySet<string> = new Set(['originalRequestId', 'detail', 'userAgent', 'sourceAddress']);

function eventPut({ tables, usageRetentionDays }: LedgerSettings, event: UsageEvent, key: ItemKey, capId?: string) {
  const retentionDays = event.units > 0 ? usageRetentionDays : FREE_EVENT_RETENTION_DAYS;
  const ttl = Math.floor(Date.parse(event.occurredAt) / MS_PER_SECOND) + retentionDays * SECONDS_PER_DAY;
  const said = Object.entries(event).filter(([name, value]) => value !== null || !SPARSE.has(name));
  const Item = {
    ...key,
    ...Object.fromEntries(said),
    // `ledger verify` sums the charges under a cap by it.
    ...(capId !== undefined && capNamed(capId)),
    ttl,
  };
  return { TableName: tables.usage, Item, ConditionExpression: ABSENT };
}

function replayPut(
  { tables }: LedgerSettings,
  { event, receivedAtMs }: Charge,
  { id, record }: NonNullable<Charge['replay']>,
): TransactItem {
  const nowSeconds = Math.floor(receivedAtMs / MS_PER_SECOND);
  // Rounded up: a record is kept for at least the promised time.
  const item: ReplayItem = { ...record, ttl: Math.ceil(receivedAtMs / MS_PER_SECOND) + REPLAY_RETENTION_SECONDS };
  return {
    Put: {
      TableName: tables.gateway,
      Item: { ...itemKey.replay(event.projectId, id), ...item },
      ConditionExpression: `${ABSENT} OR #ttl <= :now`,
      ExpressionAttributeNames: names('ttl'),
      ExpressionAttributeValues: { ':now': nowSeconds },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    },
  };
}

/**
 * What a cancelled settlement means. The first rule that applies decides:
 *
 * 1. Our own event exists: settled. An earlier attempt was committed, although the SDK's repeat of it met a conflict.
 * 2. An unexpired replay record exists: a concurrent duplicate has committed first.
 * 3. The write of the replay record was cancelled for another reason: wait, and try again. A concurrent duplicate may
 *    be committing that record now, and may have used up the quota.
 * 4. Otherwise quota and cap decide (`onCancelled` of `quota-charge.ts`): the project refuses, read again and try at
 *    once, try another shard at once, or wait and try again.
 *
 * @param reasons in the order of the items: quota, event, replay record if there is one, the key's cap if it has one,
 *   further shards of the quota
 */
function settlementOf(
  reasons: CancellationReasons,
  charged: Charge,
  onCancelled: QuotaCharge['onCancelled'],
): ReturnType<QuotaCharge['onCancelled']> {
  const [ofQuota, ofEvent, ...others] = reasons;
  const ofReplay = charged.replay && others.shift();
  const ofCap = charged.cap && others.shift();
  if (ofEvent && hasFailed(ofEvent)) return { outcome: 'settled' };
  if (ofReplay && hasFailed(ofReplay) && ofReplay.Item) {
    const record = unexpired(unmarshall(ofReplay.Item) as ReplayItem, charged.receivedAtMs);
    if (record) return { outcome: 'duplicate', record };
  }
  if (ofReplay !== undefined && ofReplay.Code !== 'None') return undefined;
  return onCancelled([...(ofQuota ? [ofQuota] : []), ...others], ofCap);
}
