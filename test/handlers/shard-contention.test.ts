import { expect, test } from '@jest/globals';
import type { Deadline } from '../../functions/shared/deadline.ts';
import { StoreBusyError } from '../../functions/shared/http/errors.ts';
import { periodAt } from '../../functions/shared/time.ts';
import { dynamoDbRequestStore } from '../../functions/gateway/ledger/dynamodb-request-store.ts';
import { readSnapshot } from '../../functions/gateway/ledger/snapshot.ts';
import { itemKey, type ItemKey } from '../../functions/shared/store/items.ts';
import { testDeadline } from '../support/deadline.ts';
import { IS_FULL } from '../support/extent.ts';
import { randomFrom } from '../support/random-from.ts';
import { NOW_MS } from '../support/times.ts';
import { someEvent } from '../support/usage-events.ts';
import { virtualTime } from '../support/virtual-time.ts';
import { TransactionCanceledException, type CancellationReason } from '@aws-sdk/client-dynamodb';
import { readCap } from '../support/caps.ts';
import { BatchGetCommand, TransactWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

const PROJECT_ID = 'Project00001';
const LIMIT = 1_000_000;
const REQUEST_MS = 4_000;
const period = periodAt(NOW_MS, 'month');

interface Limits {
  /** The project's quota, in request units. */
  readonly quotaLimit?: number;
  /** The id of the key's cap; absent: it has no cap. */
  readonly capId?: string;
}

/** Independent requests of one project at a given rate, through the chain's reads and its settlement. */
async function arrivals(
  shards: number,
  perSecond: number,
  count: number,
  { quotaLimit: limit = LIMIT, capId }: Limits = {},
) {
  const time = virtualTime();
  const random = randomFrom(shards);
  const project = { ...itemKey.project(PROJECT_ID), status: 'active', quotaLimit: limit, shards };
  const { client, items } = simulatedQuota(time, project);
  let requests = 0;
  const newId = () => `request-${requests++}`;
  const tables = { gateway: 'Gateway', usage: 'Usage' };
  const store = dynamoDbRequestStore({
    client,
    tables,
    usageRetentionDays: 400,
    newId,
    random,
    sleep: (ms) => time.sleep(ms),
  });
  const tookMs: number[] = [];
  const counts = { settled: 0, exhausted: 0, duplicate: 0, busy: 0 };
  const send = async (): Promise<void> => {
    const atMs = time.now();
    const deadline: Deadline = Object.assign(new AbortController().signal, {
      leftMs: () => atMs + REQUEST_MS - time.now(),
    });
    const query = { projectId: PROJECT_ID, period, replayId: undefined, keyHash: 'hash', nowMs: NOW_MS };
    const { quotaLimit, shards: wanted, counter } = await store.readSnapshot(query, deadline);
    const event = someEvent({ projectId: PROJECT_ID, requestId: newId(), period: period.id, units: 1 });
    try {
      const cap = capId === undefined ? {} : { cap: readCap(capId, LIMIT, 0) };
      const charge = { event, period, receivedAtMs: NOW_MS, quotaLimit, shards: wanted, counter, ...cap };
      counts[(await store.charge(charge, deadline)).outcome]++;
      tookMs.push(time.now() - atMs);
    } catch (error) {
      expect(error).toBeInstanceOf(StoreBusyError);
      counts.busy++;
    }
  };
  const everyone = (async () => {
    const sent: Promise<void>[] = [];
    for (let n = 0; n < count; n++) {
      await time.sleep((-Math.log(1 - random()) * 1_000) / perSecond);
      sent.push(send());
    }
    await Promise.all(sent);
  })();
  await time.pass();
  await everyone;
  const capped = [...items.values()].find(({ sk }) => String(sk).startsWith('KEYUNITS#'));
  const counter = [...items.values()].filter((item) => item !== capped);
  const of = (name: string) => counter.reduce((sum, item) => sum + Number(item[name] ?? 0), 0);
  tookMs.sort((a, b) => a - b);
  return {
    ...counts,
    p99Ms: tookMs[Math.floor(0.99 * tookMs.length)],
    longestMs: tookMs.at(-1),
    used: of('units') - of('left'),
    usedOfCap: capped?.units,
  };
}

test('200 requests a second of one project in 16 shards are settled, 99 % within five times a transaction', async () => {
  const count = IS_FULL ? 10_000 : 2_000;
  const { busy, settled, p99Ms, used } = await arrivals(16, 200, count);
  expect([busy, settled, used]).toEqual([0, count, count]);
  expect(p99Ms).toBeLessThanOrEqual(5 * TRANSACTION_MS);
});

test.each([16, 32])(
  'where the quota of a project in %i shards ends at 400 requests a second, all of it is used, and nobody waits half a second',
  async (shards) => {
    const { busy, settled, exhausted, used, longestMs } = await arrivals(shards, 400, 2_000, { quotaLimit: 1_000 });
    expect([busy, settled, exhausted, used]).toEqual([0, 1_000, 1_000, 1_000]);
    expect(longestMs).toBeLessThan(500);
  },
);

test.each([1, 16])('60 requests a second of one key with a cap are settled, in %i shards', async (shards) => {
  const count = IS_FULL ? 3_000 : 1_000;
  const { busy, settled, usedOfCap } = await arrivals(shards, 60, count, { capId: 'key_1' });
  expect([busy, settled, usedOfCap]).toEqual([0, count, count]);
});

test('which one counter cannot do', async () => {
  const { busy, settled, used } = await arrivals(1, 200, 1_000);
  expect(busy).toBeGreaterThan(100);
  expect(busy + settled).toBe(1_000);
  expect(used).toBe(settled);
});

test.each([
  [999, 1_000],
  [1_000, 1],
])('an instance that remembers %i projects with shards remembers %i with the next', async (before, after) => {
  const time = virtualTime();
  const { client } = simulatedQuota(time, { ...itemKey.project(PROJECT_ID), status: 'active', shards: 16 });
  const remembered = new Set(Array.from({ length: before }, (_, n) => `Project${n}`));
  const query = { projectId: PROJECT_ID, period, replayId: undefined, nowMs: NOW_MS };
  const retry = { deadline: testDeadline(), sleep: (ms: number) => time.sleep(ms), random: () => 0 };
  const reading = readSnapshot(client, 'Gateway', remembered, query, retry);
  await time.pass();
  expect(await reading).toMatchObject({ shards: 16 });
  expect([remembered.size, remembered.has(PROJECT_ID)]).toEqual([after, true]);
});

/** Durations: of a transaction, which holds its items; of its refusal; of any other call. */
const TRANSACTION_MS = 10;
const CONFLICT_MS = 5;
const CALL_MS = 4;

type Values = Readonly<Record<string, number>>;
type Item = Readonly<Record<string, unknown>>;

/** The effect of a part of a transaction on its item. */
interface Write {
  readonly name: string;
  readonly holds: (item: Item | undefined) => boolean;
  readonly apply: (item: Item | undefined) => Item;
}

/**
 * A simulated Gateway table of one project in virtual time, with the calls of a settlement. It cancels a transaction
 * that meets another one on the same item (DynamoDB Developer Guide, "Transaction conflict handling").
 */
function simulatedQuota(time: ReturnType<typeof virtualTime>, project: Item & ItemKey) {
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

/** Events are many, and no test here reads them. */
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
