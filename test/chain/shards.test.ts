import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { readProjectOverview } from '../../functions/accounts/projects/project-overviews.ts';
import { updateProject } from '../../functions/accounts/projects/projects.ts';
import { readQuotaUsed } from '../../functions/accounts/projects/stored-projects.ts';
import { periodAt } from '../../functions/shared/time.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { itemsFrom } from '../../functions/shared/store/tables.ts';
import { counterRepair } from '../../functions/usage/checks/repair.ts';
import { booksByHand } from '../support/books-by-hand.ts';
import { recordCalls } from '../support/database.ts';
import { endlessDeadline } from '../support/deadline.ts';
import { quotaHeaders } from '../support/expectations.ts';
import { tenant, testGateway, type TestGateway } from '../support/gateway.ts';
import { triple } from '../support/test-operation.ts';
import { MONTH_END_EPOCH_SECONDS, NOW_MS } from '../support/times.ts';
import { meanwhile, under } from '../support/visits.ts';

/** As in production: a random choice, and time for more than a few attempts. */
const CROWDED = { random: Math.random, startDeadline: endlessDeadline };
const RPM = 1_000_000;
const JANUARY = periodAt(NOW_MS, 'month');
const left = (limit: number, remaining: number) => quotaHeaders(limit, remaining, MONTH_END_EPOCH_SECONDS);

let gateway: TestGateway;
beforeEach(() => {
  gateway = testGateway(CROWDED);
});

/** A project with a sharded quota. */
const shardedTenant = (shards: number, quotaLimit: number | undefined) =>
  tenant(gateway, { shards, quotaLimit, rpm: RPM });
const change = (projectId: string, changes: Parameters<typeof updateProject>[2]) =>
  updateProject(gateway.store, projectId, changes);
/** Two instances. With two shards, each charges its own. */
const onTwoShards = () =>
  [0, 0.9].map((chance) => testGateway({ ...CROWDED, random: () => chance })) as [TestGateway, TestGateway];
const balanced = (units: number) => ({ consistent: true, quotaUsed: units, ledgerUnits: units });
/** The stored counter: its own units, and the rest in each shard. */
async function storedCounter(projectId: string) {
  const [counter, ...shards] = await Array.fromAsync(itemsFrom(gateway.store, itemKey.quota(projectId, JANUARY.id)));
  return { units: counter?.units, left: shards.map((shard) => shard.left) };
}

describe('a quota in shards', () => {
  test.each([2, 32])('of %i gives exactly its units, and each answer tells what is left', async (shards) => {
    const { key, projectId } = await shardedTenant(shards, 20);
    for (let remaining = 19; remaining >= 0; remaining--) {
      expect(await gateway.ping(key)).toMatchObject({ status: 200, headers: left(20, remaining) });
    }
    for (const request of [{}, under('a')]) {
      const refused = await gateway.ping(key, request);
      expect(refused).toMatchObject({ body: { code: 'QUOTA_EXCEEDED' }, headers: left(20, 0) });
    }
    expect(await gateway.verify(projectId)).toEqual(balanced(20));
  });

  test('leaves no unit in pieces: what no single shard has enough of is put together', async () => {
    const { key, projectId } = await shardedTenant(4, 9);
    expect((await gateway.ping(key)).status).toBe(200);
    expect(await storedCounter(projectId)).toEqual({ units: 9, left: [2, 2, 2, 2] });
    const threes = [];
    for (let n = 0; n < 3; n++) threes.push(await gateway.ping(key, { body: {}, path: triple.path }));
    expect(threes.map(({ status, headers }) => [status, headers['x-service-quota-remaining']])).toEqual([
      [200, '5'],
      [200, '2'],
      [429, '2'],
    ]);
    expect(await gateway.verify(projectId)).toEqual(balanced(7));
  });

  test('tells what is left to one that costs more than that', async () => {
    const { key } = await shardedTenant(4, 2);
    expect(await gateway.ping(key, { body: {}, path: triple.path })).toMatchObject({
      body: { code: 'QUOTA_EXCEEDED', detail: expect.stringContaining('fewer request units left') },
      headers: left(2, 2),
    });
    expect(await gateway.ping(key)).toMatchObject({ status: 200, headers: left(2, 1) });
  });

  test('gets a new layout only if each shard is as it was read: a charge in between is not lost', async () => {
    const { key, projectId } = await shardedTenant(2, 10);
    await gateway.ping(key);
    const [stale, late] = [testGateway(CROWDED), testGateway(CROWDED)];
    const [isRead, mayGoOn] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    meanwhile('TransactWriteItems', {}, async () => {
      isRead.resolve(undefined);
      await mayGoOn.promise;
      return [];
    }).arrange(stale.client);
    // For the two shards that it has read.
    const charged = stale.ping(key);
    await isRead.promise;
    await change(projectId, { shards: 3 });
    meanwhile('TransactWriteItems', {}, async () => {
      mayGoOn.resolve(undefined);
      return [await charged];
    }).arrange(late.client);
    expect([(await late.ping(key)).status, (await charged).status]).toEqual([200, 200]);
    expect(await gateway.verify(projectId)).toEqual(balanced(3));
  });

  test('of a project without a limit counts what it charges', async () => {
    const { key, projectId } = await shardedTenant(3, undefined);
    for (let n = 0; n < 9; n++) expect((await gateway.ping(key)).status).toBe(200);
    const { units, left: leftOf } = await storedCounter(projectId);
    expect([units, leftOf.length]).toEqual([1, 3]);
    expect(await gateway.verify(projectId)).toEqual(balanced(9));
    await change(projectId, { quota: 10 });
    expect(await gateway.ping(key)).toMatchObject({ status: 200, headers: left(10, 0) });
    expect((await gateway.ping(key)).status).toBe(429);
  });
});

describe('a change of a quota in shards holds for the next request', () => {
  test.each<[string, Parameters<typeof updateProject>[2], number]>([
    ['a higher limit', { quota: 20 }, 12],
    ['a lower limit', { quota: 9 }, 1],
    ['a limit below what is used', { quota: 5 }, 0],
    ['more shards', { shards: 9 }, 2],
    ['fewer shards', { shards: 2 }, 2],
    ['none', { shards: 1 }, 2],
    ['fewer shards and a higher limit', { shards: 2, quota: 12 }, 4],
  ])('%s', async (_, changes, remaining) => {
    const { key, projectId } = await shardedTenant(4, 10);
    for (let n = 0; n < 8; n++) await gateway.ping(key);
    await change(projectId, changes);
    const answers = [];
    for (let n = 0; n <= remaining; n++) answers.push((await gateway.ping(key)).status);
    expect(answers).toEqual([...Array.from({ length: remaining }, () => 200), 429]);
    expect(await gateway.verify(projectId)).toEqual(balanced(8 + remaining));
  });

  test('also from one counter to shards, and back, in a running period', async () => {
    const { key, projectId } = await shardedTenant(1, 10);
    for (const [shards, remaining] of [
      [1, 9],
      [3, 8],
      [1, 7],
      [5, 6],
    ] as const) {
      await change(projectId, { shards });
      expect(await gateway.ping(key)).toMatchObject({ status: 200, headers: left(10, remaining) });
    }
    expect(await gateway.verify(projectId)).toEqual(balanced(4));
  });

  test('is in the audit, as it was and is', async () => {
    const { projectId, accountId } = await shardedTenant(1, 10);
    await change(projectId, { shards: 16 });
    const { store } = gateway;
    const audit = await Array.fromAsync(itemsFrom(store, { pk: `ACCOUNT#${accountId}`, sk: 'AUDIT#' }));
    expect(audit).toContainEqual(
      expect.objectContaining({ action: 'project.update', before: { shards: null }, after: { shards: 16 } }),
    );
  });

  test('also for one that read before it that there is no limit, and charges a shard after it', async () => {
    const { key, projectId } = await shardedTenant(2, undefined);
    await gateway.ping(key);
    const { arrange } = meanwhile('TransactWriteItems', {}, async () => {
      await change(projectId, { quota: 2 });
      return [await testGateway(CROWDED).ping(key)];
    });
    const late = testGateway(CROWDED);
    arrange(late.client);
    expect((await late.ping(key)).body.code).toBe('QUOTA_EXCEEDED');
    expect(await gateway.verify(projectId)).toEqual(balanced(2));
  });

  test('also under load: in the end every unit of the last limit was charged, and none over it', async () => {
    const { key, projectId } = await shardedTenant(4, 12);
    const others = [testGateway(CROWDED), testGateway(CROWDED)];
    const changes = [
      { quota: 30 },
      { shards: 7 },
      { quota: 'none' },
      { shards: 1 },
      { quota: 16, shards: 3 },
      { quota: 40 },
    ] as const;
    let isChanging = true;
    const statuses: number[] = [];
    const send = async (place: number): Promise<void> => {
      const instance = others[place % others.length] ?? gateway;
      // Nine requests in any case while the settings change, and more while they succeed.
      for (let n = 0; (isChanging && n < 9) || statuses.at(-1) === 200; n++) {
        statuses.push((await instance.ping(key, n % 3 === 0 ? { body: {}, path: triple.path } : {})).status);
      }
    };
    const load = Promise.all([0, 1, 2].map(send));
    for (const each of changes) await change(projectId, each);
    isChanging = false;
    await load;
    for (let status = 200; status === 200;) ({ status } = await gateway.ping(key));
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect(await gateway.verify(projectId)).toEqual(balanced(40));
  });

  test('but a request that lays out shards does not lose what the counter was charged since it read it', async () => {
    const { key, projectId } = await shardedTenant(1, 10);
    await gateway.ping(key);
    await change(projectId, { shards: 3 });
    const { arrange } = meanwhile('TransactWriteItems', {}, async () => {
      await booksByHand(gateway.store, projectId).charge();
      return [];
    });
    const late = testGateway(CROWDED);
    arrange(late.client);
    expect((await late.ping(key)).status).toBe(200);
    expect(await gateway.verify(projectId)).toEqual(balanced(3));
  });

  test.each([20, undefined])(
    'but under the limit of %s, which it read before, none is charged to a counter that lent',
    async (limit) => {
      const { key, projectId } = await shardedTenant(1, limit);
      const [early, late] = onTwoShards();
      meanwhile('TransactWriteItems', {}, async () => {
        await change(projectId, { quota: 3, shards: 2 });
        return [await gateway.ping(key)];
      }).arrange(early.client);
      expect((await early.ping(key)).status).toBe(200);
      meanwhile('TransactWriteItems', {}, async () => [await early.ping(key)]).arrange(late.client);
      expect((await late.ping(key)).body.code).toBe('QUOTA_EXCEEDED');
      expect(await gateway.verify(projectId)).toEqual(balanced(3));
    },
  );

  test('and a request that it refuses says so', async () => {
    const { key, projectId } = await shardedTenant(2, 10);
    await gateway.ping(key);
    const late = testGateway(CROWDED);
    meanwhile('TransactWriteItems', {}, async () => {
      await change(projectId, { quota: 2 });
      return [await gateway.ping(key)];
    }).arrange(late.client);
    const refused = await late.ping(key);
    expect(refused).toMatchObject({ body: { code: 'QUOTA_EXCEEDED' }, headers: left(2, 0) });
    expect(refused.body.detail).not.toContain('fewer request units left');
  });
});

describe('a request of a project in shards', () => {
  test('takes three round trips where the instance does not know of them, two from then on', async () => {
    const { key } = await shardedTenant(16, 100);
    const calls = [];
    for (let n = 0; n < 3; n++) {
      const record = recordCalls(gateway.client);
      await gateway.ping(key);
      calls.push(record.commands);
      if (n > 0) expect(record.roundTrips).toBe(2);
      gateway.client.middlewareStack.remove('recordCalls');
    }
    const settled = ['UpdateItem', 'BatchGetItem', 'Query', 'TransactWriteItems'];
    expect(calls).toEqual([settled, settled, settled]);
  });

  test('is one of an instance that remembers them wrongly, too: it costs a call', async () => {
    const { key, projectId } = await shardedTenant(4, 10);
    await gateway.ping(key);
    await change(projectId, { shards: 1 });
    const other = testGateway(CROWDED);
    expect([(await other.ping(key)).status, (await other.ping(key)).status]).toEqual([200, 200]);
    const record = recordCalls(gateway.client);
    expect((await gateway.ping(key)).headers).toMatchObject(left(10, 6));
    expect((await gateway.ping(key)).headers).toMatchObject(left(10, 5));
    const first = ['UpdateItem', 'BatchGetItem', 'Query', 'TransactWriteItems'];
    expect(record.commands).toEqual([...first, 'UpdateItem', 'BatchGetItem', 'TransactWriteItems']);
  });
});

describe('who reads a counter in shards', () => {
  test('sees one counter', async () => {
    const { key, projectId, accountId } = await shardedTenant(4, 100);
    for (let n = 0; n < 5; n++) await gateway.ping(key);
    const { store } = gateway;
    expect(await readQuotaUsed(store, projectId, JANUARY.id)).toBe(5);
    const overview = await readProjectOverview(store, projectId, JANUARY.id, () => Promise.resolve(null));
    expect(overview).toMatchObject({ projectId, quotaUsed: 5, quotaLimit: 100 });
    expect(accountId).toBeDefined();
  });

  const leftIn = async (projectId: string, index: number): Promise<number> => {
    const [shard] = await Array.fromAsync(itemsFrom(gateway.store, itemKey.quotaShard(projectId, JANUARY.id, index)));
    return Number(shard?.left);
  };
  test('repairs it, and what is lent of it goes by the counter that is right', async () => {
    const { key, projectId } = await shardedTenant(4, 10);
    for (let n = 0; n < 4; n++) await gateway.ping(key);
    await booksByHand(gateway.store, projectId).putEvent({ units: 1 });
    const repair = await counterRepair(gateway.store, projectId, JANUARY, 400);
    expect(repair?.difference).toBe(1);
    await repair?.apply();
    // The repair stores a limit that no project can have, so that the next request distributes the units again.
    const [counter] = await Array.fromAsync(itemsFrom(gateway.store, itemKey.quota(projectId, JANUARY.id)));
    expect(counter?.limit).toBe(-1);
    expect(await gateway.verify(projectId)).toEqual(balanced(5));
    await gateway.ping(key);
    const lent = await Array.fromAsync(Array.from({ length: 4 }, (_, index) => leftIn(projectId, index)));
    expect(lent.reduce((sum, units) => sum + units, 0)).toBe(4);
    const statuses = await Promise.all(Array.from({ length: 12 }, async () => (await gateway.ping(key)).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(4);
    expect(await gateway.verify(projectId)).toEqual(balanced(10));
  });

  test('finds what was put into a shard without lent units, and counts it as left', async () => {
    const { key, projectId } = await shardedTenant(4, 20);
    for (const shards of [4, 2]) {
      await change(projectId, { shards });
      await gateway.ping(key);
    }
    const { client, tables } = gateway.store;
    const [unused] = await Array.fromAsync(itemsFrom(gateway.store, itemKey.quotaShard(projectId, JANUARY.id, 3)));
    await client.send(new PutCommand({ TableName: tables.gateway, Item: { ...unused, left: 5 } }));
    expect((await gateway.ping(key)).headers).toMatchObject(left(20, 22));
    expect(await gateway.verify(projectId)).toMatchObject({ consistent: false, difference: { atLeast: 5, atMost: 5 } });
  });
});
