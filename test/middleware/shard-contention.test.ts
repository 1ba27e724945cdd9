import { expect, test } from '@jest/globals';
import type { Deadline } from '../../functions/core/deadline.ts';
import { StoreBusyError } from '../../functions/core/errors.ts';
import { periodAt } from '../../functions/core/period.ts';
import { dynamoDbRequestStore } from '../../functions/ledger/dynamodb-request-store.ts';
import { readSnapshot } from '../../functions/ledger/snapshot.ts';
import { itemKey } from '../../functions/store/items.ts';
import { testDeadline } from '../support/deadline.ts';
import { IS_FULL } from '../support/extent.ts';
import { randomFrom } from '../support/random-from.ts';
import { simulatedQuota, TRANSACTION_MS } from '../support/simulated-quota.ts';
import { NOW_MS } from '../support/times.ts';
import { someEvent } from '../support/usage-events.ts';
import { virtualTime } from '../support/virtual-time.ts';

const PROJECT_ID = 'Project00001';
const LIMIT = 1_000_000;
const REQUEST_MS = 4_000;
const period = periodAt(NOW_MS, 'month');

/**
 * So many requests of one project, so many a second and independent of each other, in the chain's reads and its
 * settlement.
 *
 * @param capId of the one key; undefined: it has no cap
 */
async function arrivals(shards: number, perSecond: number, count: number, capId?: string) {
  const time = virtualTime();
  const random = randomFrom(shards);
  const project = { ...itemKey.project(PROJECT_ID), status: 'active', quotaLimit: LIMIT, shards };
  const { client, items } = simulatedQuota(time, project);
  let requests = 0;
  const newId = () => `request-${requests++}`;
  const tables = { gateway: 'Gateway', usage: 'Usage' };
  const store = dynamoDbRequestStore({
    ...{ client, tables, usageRetentionDays: 400, newId, random },
    sleep: (ms) => time.sleep(ms),
  });
  const tookMs: number[] = [];
  let busy = 0;
  const send = async (): Promise<void> => {
    const atMs = time.now();
    const deadline: Deadline = Object.assign(new AbortController().signal, {
      leftMs: () => atMs + REQUEST_MS - time.now(),
    });
    const query = { projectId: PROJECT_ID, period, replayId: undefined, keyHash: 'hash', nowMs: NOW_MS };
    const { quotaLimit, shards: wanted, counter } = await store.readSnapshot(query, deadline);
    const event = someEvent({ projectId: PROJECT_ID, requestId: newId(), period: period.id, units: 1 });
    try {
      const cap = capId === undefined ? {} : { cap: { id: capId, limit: LIMIT, units: 0 } };
      const charge = { event, period, receivedAtMs: NOW_MS, quotaLimit, shards: wanted, counter, ...cap };
      expect(await store.charge(charge, deadline)).toEqual({ outcome: 'settled' });
      tookMs.push(time.now() - atMs);
    } catch (error) {
      expect(error).toBeInstanceOf(StoreBusyError);
      busy++;
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
    busy,
    settled: tookMs.length,
    p99Ms: tookMs[Math.floor(0.99 * tookMs.length)],
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

test.each([1, 16])('60 requests a second of one key with a cap are settled, in %i shards', async (shards) => {
  const { busy, settled, usedOfCap } = await arrivals(shards, 60, 3_000, 'key_1');
  expect([busy, settled, usedOfCap]).toEqual([0, 3_000, 3_000]);
});

test('which one counter cannot do', async () => {
  const { busy, settled, used } = await arrivals(1, 200, 1_000);
  expect(busy).toBeGreaterThan(100);
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
