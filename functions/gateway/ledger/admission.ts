import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import {
  capOf,
  keyRefusal,
  type AccessRequirement,
  type Admission,
  type KeyRecord,
  minuteAt,
  otherSlots,
  rateStatus,
  countAgain,
  SLOTS,
  slotOf,
  type CountingStep,
} from '../../shared/request/admission.ts';
import { StoreUnavailableError } from '../../shared/http/errors.ts';
import { retryConflicts, type ConflictRetry } from '../../shared/store/client.ts';
import { itemKey } from '../../shared/store/items.ts';
import { names } from '../../shared/store/tables.ts';

/** A key item: the key and its counts, which are in `slot0` … `slot15`. */
type KeyItem = KeyRecord & { readonly window?: number } & Readonly<Record<`slot${number}`, number | undefined>>;

/**
 * Attempts to count one request. The first is enough unless the window differs from the clock's minute, or other
 * requests move it at the same time. Each of these needs one more attempt.
 */
const MAX_ATTEMPTS = 5;

/** Aliases of the admission write, made once. DynamoDB refuses an alias that the expression does not use. */
const RESET_NAMES = names('status', 'expiresAtMs', 'paused', 'scopes', 'mode', 'window', ...SLOTS);
const COUNT_NAMES = { ...RESET_NAMES, ...names('rpm') };

/**
 * Authenticates a key and counts the request in one conditional write. So a revocation is final for every request that
 * is sent after it. When the condition fails, the returned item shows the reason.
 */
export async function admit(
  client: DynamoDBDocumentClient,
  table: string,
  keyHash: string,
  required: AccessRequirement,
  nowMs: number,
  retry: ConflictRetry,
): Promise<Admission> {
  const now = minuteAt(nowMs);
  let step: CountingStep = { kind: 'count', minute: now };
  let clockBroken = false;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const command = countingWrite(table, keyHash, required, nowMs, step);
    // The write can conflict with a rotation of the key, which is a transaction.
    const result = await retryConflicts(() => admittedItem(client, command, retry.deadline), retry);
    if (result.passed) {
      const { keyId, rpm } = result.item;
      const count = result.item[slotOf(step.minute) as `slot${number}`] ?? 0;
      const cap = capOf(result.item);
      return { outcome: 'admitted', keyId, rate: rateStatus(step.minute, rpm, count), cap, clockBroken };
    }

    const { item } = result;
    const code = keyRefusal(item, required, nowMs);
    if (code !== undefined || item === undefined) {
      return { outcome: 'refused', code: code ?? 'INVALID_API_KEY', ...(item && { keyId: item.keyId }) };
    }
    const next = countAgain(storedWindow(item), item.rpm, now);
    if (next.kind === 'full') {
      const minute = item.window ?? now;
      const rate = rateStatus(minute, item.rpm, item.rpm);
      return { outcome: 'rateLimited', keyId: item.keyId, rate, cap: capOf(item) };
    }
    // This counts also if another write succeeds: the answer to an overwrite may be lost.
    clockBroken ||= next.kind === 'reset' && next.aheadOfClock;
    step = next;
  }
  throw new StoreUnavailableError(`the rate window of a key moved ${MAX_ATTEMPTS} times under one request`);
}

/**
 * The admission write. A new minute is common in a sandbox and must not cost a second write. So the count of each
 * minute has its own slot, which is absent until then.
 */
function countingWrite(
  table: string,
  keyHash: string,
  required: AccessRequirement,
  nowMs: number,
  step: CountingStep,
): UpdateCommand {
  const { minute } = step;
  const slot = slotOf(minute);
  const usable = [
    '#status = :active',
    '(attribute_not_exists(#expiresAtMs) OR #expiresAtMs > :now)',
    'attribute_not_exists(#paused)',
    'contains(#scopes, :scope)',
    '#mode = :mode',
  ].join(' AND ');
  const values = {
    ':active': 'active',
    ':now': nowMs,
    ':scope': required.scope,
    ':mode': required.mode,
    ':minute': minute,
    ':one': 1,
  };
  const clear = `REMOVE ${otherSlots(minute)
    .map((name) => `#${name}`)
    .join(', ')}`;
  const common = {
    TableName: table,
    Key: itemKey.apiKey(keyHash),
    ExpressionAttributeNames: step.kind === 'count' ? COUNT_NAMES : RESET_NAMES,
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  } as const;

  if (step.kind === 'count') {
    const sameWindow = `#window = :minute AND #${slot} < #rpm`;
    const newWindow = `(attribute_not_exists(#window) OR #window < :minute) AND attribute_not_exists(#${slot})`;
    return new UpdateCommand({
      ...common,
      UpdateExpression: `SET #${slot} = if_not_exists(#${slot}, :zero) + :one, #window = :minute ${clear}`,
      ConditionExpression: `${usable} AND ((${sameWindow}) OR (${newWindow}))`,
      ExpressionAttributeValues: { ...values, ':zero': 0 },
    });
  }
  const unchanged = step.replaces === undefined ? 'attribute_not_exists(#window)' : '#window = :replaces';
  return new UpdateCommand({
    ...common,
    UpdateExpression: `SET #${slot} = :one, #window = :minute ${clear}`,
    // If two requests start the window, one wins, and the other then counts in it.
    ConditionExpression: `${usable} AND ${unchanged}`,
    ExpressionAttributeValues: { ...values, ...(step.replaces !== undefined && { ':replaces': step.replaces }) },
  });
}

type WriteResult =
  { readonly passed: true; readonly item: KeyItem } | { readonly passed: false; readonly item: KeyItem | undefined };

async function admittedItem(
  client: DynamoDBDocumentClient,
  command: UpdateCommand,
  abortSignal: AbortSignal,
): Promise<WriteResult> {
  try {
    const { Attributes } = await client.send(command, { abortSignal });
    if (!Attributes) throw new StoreUnavailableError('an update came back without its item');
    return { passed: true, item: Attributes as unknown as KeyItem };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // The document client does not unmarshal the item of a failed condition.
    return { passed: false, item: error.Item && (unmarshall(error.Item) as KeyItem) };
  }
}

const storedWindow = (item: KeyItem) => ({
  minute: item.window,
  count: item.window === undefined ? 0 : (item[slotOf(item.window) as `slot${number}`] ?? 0),
});
