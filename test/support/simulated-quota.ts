import { TransactionCanceledException, type CancellationReason } from '@aws-sdk/client-dynamodb';
import { BatchGetCommand, TransactWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import type { ItemKey } from '../../functions/store/items.ts';
import type { virtualTime } from './virtual-time.ts';

/** How long things take: a transaction, which holds its items; its refusal; any other call. */
export const TRANSACTION_MS = 10;
const CONFLICT_MS = 5;
const CALL_MS = 4;

type Values = Readonly<Record<string, number>>;
type Item = Readonly<Record<string, unknown>>;

/** What a part of a transaction does to its item. */
interface Write {
  readonly name: string;
  readonly holds: (item: Item | undefined) => boolean;
  readonly apply: (item: Item | undefined) => Item;
}

/**
 * A Gateway table of one project in virtual time, of which it knows the calls of a settlement: a transaction that meets
 * one in progress on an item of it is cancelled (DynamoDB Developer Guide, "Transaction conflict handling").
 */
export function simulatedQuota(time: ReturnType<typeof virtualTime>, project: Item & ItemKey) {
  const items = new Map<string, Item>();
  const held = new Set<string>();
  const write = async (writes: readonly Write[]): Promise<object> => {
    const codes = writes.map(({ name }) => (held.has(name) ? 'TransactionConflict' : 'None'));
    if (codes.includes('TransactionConflict')) throw await cancelled(codes);
    for (const { name } of writes) held.add(name);
    const checked = writes.map(({ name, holds }) => (holds(items.get(name)) ? 'None' : 'ConditionalCheckFailed'));
    await time.sleep(TRANSACTION_MS);
    for (const { name } of writes) held.delete(name);
    if (checked.includes('ConditionalCheckFailed')) throw await cancelled(checked);
    for (const { name, apply } of writes.filter(isOfQuota)) items.set(name, apply(items.get(name)));
    return {};
  };
  const cancelled = async (codes: readonly string[]) => {
    await time.sleep(CONFLICT_MS);
    const CancellationReasons: CancellationReason[] = codes.map((Code) => ({ Code }));
    return new TransactionCanceledException({ message: 'cancelled', $metadata: {}, CancellationReasons });
  };
  const send = async (command: unknown): Promise<object> => {
    if (command instanceof TransactWriteCommand) return write((command.input.TransactItems ?? []).map(writeOf));
    await time.sleep(CALL_MS);
    if (!(command instanceof BatchGetCommand)) return { Items: [...items.values()] };
    return { Responses: { Gateway: [project, ...items.values()] } };
  };
  return { client: { send } as unknown as DynamoDBDocumentClient, items };
}

/** Events are many, and nobody here reads them. */
const isOfQuota = ({ name }: Write): boolean => name.includes(' QUOTA#') || name.includes(' KEYUNITS#');

const nameOf = ({ pk, sk }: Item): string => `${pk as string} ${sk as string}`;

function writeOf({ Update, Put }: NonNullable<TransactWriteCommand['input']['TransactItems']>[number]): Write {
  if (Put?.Item) {
    const { Item, ExpressionAttributeValues: seen } = Put;
    const asSeen = (item: Item | undefined): boolean =>
      seen?.[':left'] === undefined ? item === undefined : item?.left === seen[':left'];
    return { name: nameOf(Item), holds: asSeen, apply: () => Item };
  }
  const { Key = {}, ExpressionAttributeValues, UpdateExpression = '' } = Update ?? {};
  const values = ExpressionAttributeValues as Values;
  const name = nameOf(Key);
  if (UpdateExpression.startsWith('SET #left')) {
    const units = values[':units'] ?? NaN;
    return {
      name,
      holds: (item) => item?.generation === values[':generation'] && Number(item?.left) >= units,
      apply: (item) => ({ ...item, left: Number(item?.left) - units }),
    };
  }
  if (values[':generation'] === undefined) {
    const units = values[':units'] ?? NaN;
    return {
      name,
      holds: (item) => Number(item?.units ?? 0) <= (values[':ceiling'] ?? NaN),
      apply: (item) => ({ ...Key, ...item, units: Number(item?.units ?? 0) + units }),
    };
  }
  const set = Object.fromEntries(['units', 'generation', 'shards', 'limit'].map((of) => [of, values[`:${of}`]]));
  return { name, holds: (item) => (item?.units ?? 0) === values[':was'], apply: () => ({ ...Key, ...set }) };
}
