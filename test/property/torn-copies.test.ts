import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { createKey } from '../../functions/accounts/keys/api-keys.ts';
import { readProject } from '../../functions/accounts/projects/stored-projects.ts';
import { updateProject } from '../../functions/accounts/projects/projects.ts';
import { periodAt } from '../../functions/shared/time.ts';
import { counterRepair } from '../../functions/usage/checks/repair.ts';
import { deleteItem, partition } from '../support/database.ts';
import { IS_FULL } from '../support/extent.ts';
import { KEY, tenant, testGateway, type TestGateway } from '../support/gateway.ts';
import { randomFrom } from '../support/random-from.ts';
import { triple, upTo } from '../support/test-operation.ts';
import { NOW_MS } from '../support/times.ts';

/** The cases are the same in every run. */
const SEED = 20_301_115;
const RUNS = IS_FULL ? 200 : 12;
const MAX_STEPS = 24;
const RPM = 1_800;
const CAP = 6;
const KEPT_DAYS = 400;

const request = fc.record({
  isCapped: fc.boolean(),
  operation: fc.constantFrom(
    {},
    {},
    { path: triple.path },
    { path: upTo.path },
    { path: upTo.path, body: { cost: 5 } },
  ),
  name: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
});
const change = fc.record({
  shards: fc.option(fc.constantFrom(1, 2, 4), { nil: undefined }),
  quota: fc.option(fc.constantFrom(9, 15, 20), { nil: undefined }),
});
const step = fc.oneof({ weight: 4, arbitrary: request }, { weight: 1, arbitrary: change });
const sequence = fc.record({
  /** Undefined: none. */
  quotaLimit: fc.constantFrom(9, 15, 20, undefined),
  shards: fc.constantFrom(1, 2, 4),
  before: fc.array(step, { minLength: 4, maxLength: MAX_STEPS }),
  /** How many of the last steps the copy lacks, by item. */
  lost: fc.array(fc.oneof(fc.constant(0), fc.nat(MAX_STEPS)), { minLength: 2, maxLength: 12 }),
  after: fc.array(request, { maxLength: 6 }),
});
type Sequence = typeof sequence extends fc.Arbitrary<infer S> ? S : never;
type Item = Record<string, unknown>;
const idOf = ({ pk, sk }: Item): string => `${String(pk)} ${String(sk)}`;

/** Every item of a project, by its key, with its table. */
async function itemsOf({ store }: TestGateway, projectId: string) {
  const read = async (table: string, pk: string) =>
    (await partition(store, pk, table)).map((item) => [idOf(item), { table, item }] as const);
  const [ofGateway, ofUsage] = await Promise.all([
    read(store.tables.gateway, `PROJECT#${projectId}`),
    read(store.tables.usage, projectId),
  ]);
  return new Map([...ofGateway, ...ofUsage]);
}
type Items = Awaited<ReturnType<typeof itemsOf>>;

/** Leaves of each item what it was before the steps that its copy lacks. */
async function tear({ store }: TestGateway, history: readonly Items[], lost: readonly number[]): Promise<void> {
  const now = [...(history.at(-1) ?? [])].sort(([, a], [, b]) => (String(a.item.sk) < String(b.item.sk) ? -1 : 1));
  for (const [index, [id, { table: TableName, item }]] of now.entries()) {
    const kept = history[Math.max(0, history.length - 1 - (lost[index % lost.length] ?? 0))]?.get(id)?.item;
    await (kept ? store.client.send(new PutCommand({ TableName, Item: kept })) : deleteItem(store, item, TableName));
  }
}

async function run({ quotaLimit, shards, before, lost, after }: Sequence): Promise<void> {
  const random = randomFrom(SEED);
  const first = testGateway({ random });
  const { key, projectId } = await tenant(first, { quotaLimit, shards, rpm: RPM });
  const capped = await createKey(first.store, { projectId, ...KEY, rpm: RPM, unitsLimit: CAP });
  const ask = (
    { ping }: TestGateway,
    { isCapped, operation, name }: typeof request extends fc.Arbitrary<infer R> ? R : never,
  ) =>
    ping(isCapped ? capped.key : key, {
      body: {},
      ...operation,
      ...(name !== undefined && {
        headers: { 'idempotency-key': `${name}${JSON.stringify(operation).length}${isCapped}` },
      }),
    });
  /** Units of all events, and of those under the cap. */
  const charged = async (gateway: TestGateway) => {
    const events = await gateway.events(projectId);
    const sum = (some: typeof events) => some.reduce((total, { units }) => total + units, 0);
    return { all: sum(events), capped: sum(events.filter(({ keyId }) => keyId === capped.keyId)) };
  };

  const quotas = [quotaLimit ?? Infinity];
  const history = [await itemsOf(first, projectId)];
  for (const each of before) {
    if ('shards' in each) {
      await updateProject(first.store, projectId, each);
      if (each.quota !== undefined) quotas.push(each.quota);
    } else {
      await ask(first, each);
    }
    history.push(await itemsOf(first, projectId));
  }
  const inFirst = await charged(first);
  await tear(first, history, lost);

  // The other region, in which nothing has run yet.
  const second = testGateway({ random });
  const copied = await charged(second);
  const losses = { all: inFirst.all - copied.all, capped: inFirst.capped - copied.capped };
  await (await counterRepair(second.store, projectId, periodAt(NOW_MS, 'month'), KEPT_DAYS))?.apply();
  expect(await second.verify(projectId)).toEqual({ consistent: true, quotaUsed: copied.all, ledgerUnits: copied.all });

  for (const each of after) await ask(second, each);
  const limit = (await readProject(second.store, projectId)).quotaLimit ?? Infinity;
  for (const isCapped of limit === Infinity ? [true] : [true, false]) {
    while ((await ask(second, { isCapped, operation: {}, name: undefined })).status === 200);
  }
  const inSecond = await charged(second);
  // Exact from then on: what the copy has left is served, and no unit more.
  if (limit < Infinity) expect(inSecond.all).toBe(Math.max(copied.all, limit));
  expect(inSecond.capped).toBeLessThanOrEqual(Math.max(copied.capped, CAP));
  expect(await second.verify(projectId)).toMatchObject({ consistent: true, ledgerUnits: inSecond.all });
  const served = (of: 'all' | 'capped') => inFirst[of] + inSecond[of] - copied[of];
  expect(served('all')).toBeLessThanOrEqual(Math.max(...quotas) + losses.all);
  expect(served('capped')).toBeLessThanOrEqual(CAP + losses.capped);
}

describe('a copy that has lost the end of single items, of transactions, too', () => {
  test('has a consistent ledger once it is repaired; both regions serve the quota and what was lost at most', async () => {
    await fc.assert(fc.asyncProperty(sequence, run), { seed: SEED, numRuns: RUNS });
  });
});
