import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createKey, revokeKey, updateKey } from '../../functions/accounts/keys/api-keys.ts';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import { updateProject } from '../../functions/accounts/projects/projects.ts';
import { SANDBOX_SCOPE } from '../../functions/shared/credentials/credential-text.ts';
import { itemsFrom } from '../../functions/shared/store/tables.ts';
import { recordCalls } from '../support/database.ts';
import { endlessDeadline } from '../support/deadline.ts';
import { quotaHeaders } from '../support/expectations.ts';
import { apply, intercept } from '../support/faults.ts';
import { tenant, testGateway, type TestGateway } from '../support/gateway.ts';
import type { TestResponse } from '../support/http.ts';
import { triple } from '../support/test-operation.ts';
import { MONTH_END_EPOCH_SECONDS, NOW_MS } from '../support/times.ts';
import { meanwhile, under } from '../support/visits.ts';

/** As in production: a random choice, and time for more than a few attempts. */
const CROWDED = { random: Math.random, startDeadline: endlessDeadline };
const RPM = 1_800;
const HOUR_MS = 3_600_000;
const left = (limit: number, remaining: number) => quotaHeaders(limit, remaining, MONTH_END_EPOCH_SECONDS);
const balanced = (units: number) => ({ consistent: true, quotaUsed: units, ledgerUnits: units });
const codeOf = ({ status, body }: TestResponse) => (status === 200 ? 200 : body.code);
const three = { body: {}, path: triple.path };

let gateway: TestGateway;
let other: TestGateway;
beforeEach(() => {
  [gateway, other] = [testGateway(CROWDED), testGateway(CROWDED)];
});

/** A project with one key that has a cap. */
const capped = (unitsLimit: number, more: Parameters<typeof tenant>[1] = {}) =>
  tenant(gateway, { rpm: RPM, unitsLimit, ...more });
const capOf = (unitsLimit: number, more: Parameters<typeof tenant>[1] = {}) => [unitsLimit, more] as const;
/** Another key of a project. */
const keyIn = (projectId: string, unitsLimit?: number) =>
  createKey(gateway.store, { projectId, mode: 'test', scopes: new Set([SANDBOX_SCOPE]), rpm: RPM, unitsLimit });
const setCap = (projectId: string, keyId: string, unitsLimit: number | 'none') =>
  updateKey(gateway.store, projectId, keyId, { unitsLimit });
/** Sends requests at the same time to two instances, and counts them by outcome. */
async function atOnce(count: number, send: (instance: TestGateway, n: number) => Promise<TestResponse>) {
  const answers = await Promise.all(Array.from({ length: count }, (_, n) => send(n % 2 === 0 ? gateway : other, n)));
  const counts = [...Map.groupBy(answers, codeOf)].map(([code, some]) => [String(code), some.length] as const);
  return Object.fromEntries(counts) as Record<string, number>;
}
/** The stored caps of a project: units by the id of the cap. */
async function storedCaps(projectId: string, period = '2030-01') {
  const pk = `PROJECT#${projectId}`;
  const items = await Array.fromAsync(itemsFrom(gateway.store, { pk, sk: `KEYUNITS#${period}#` }));
  const found = items.map(({ sk, units }) => [String(sk).split('#')[2] ?? '', Number(units)] as const);
  return Object.fromEntries(found) as Record<string, number>;
}

describe('the cap of a key', () => {
  test('leaves the other keys of the project what it did not spend', async () => {
    const { key, projectId } = await capped(2, { quotaLimit: 5 });
    const { key: free } = await keyIn(projectId);
    expect(await atOnce(4, (instance) => instance.ping(key))).toEqual({ 200: 2, KEY_QUOTA_EXCEEDED: 2 });
    expect(await atOnce(4, (instance) => instance.ping(free))).toEqual({ 200: 3, QUOTA_EXCEEDED: 1 });
    expect(await gateway.verify(projectId)).toEqual(balanced(5));
  });

  test.each([1, 3])('of 5 each gives two keys in a quota of 7 the 7, and neither 6, in %i shards', async (shards) => {
    const { key, projectId } = await capped(5, { quotaLimit: 7, shards });
    const keys = [key, (await keyIn(projectId, 5)).key];
    // 0, 0, 1, 1, …: both keys on both instances.
    const answers = await atOnce(32, (instance, n) => instance.ping(keys[Math.floor(n / 2) % 2] ?? ''));
    expect(answers[200]).toBe(7);
    expect(Math.max(...Object.values(await storedCaps(projectId)))).toBeLessThanOrEqual(5);
    expect(await gateway.verify(projectId)).toEqual(balanced(7));
    // Whether both or only the project's quota are used up, the project's comes first.
    expect(codeOf(await gateway.ping(key))).toBe('QUOTA_EXCEEDED');
  });

  test('is held to what an operation costs, and tells what is left', async () => {
    const { key, keyId, projectId } = await capped(7);
    for (let n = 0; n < 2; n++) expect((await gateway.ping(key, three)).status).toBe(200);
    const refused = await gateway.ping(key, three);
    expect(refused).toMatchObject({
      body: { detail: expect.stringContaining('This API key has fewer request units left in this period than') },
      headers: left(7, 1),
    });
    expect(await gateway.ping(key)).toMatchObject({ status: 200, headers: left(7, 0) });
    expect(await storedCaps(projectId)).toEqual({ [keyId]: 7 });
    expect(await gateway.verify(projectId)).toEqual(balanced(7));
  });

  test('goes with its key when that is revoked, and another key begins with its own', async () => {
    const { key, keyId, projectId } = await capped(1);
    await gateway.ping(key);
    await revokeKey(gateway.store, projectId, keyId);
    const next = await keyIn(projectId, 1);
    expect([codeOf(await gateway.ping(key)), codeOf(await gateway.ping(next.key))]).toEqual(['API_KEY_REVOKED', 200]);
    expect(await storedCaps(projectId)).toEqual({ [keyId]: 1, [next.keyId]: 1 });
  });
});

describe('the headers show the limit that has less left,', () => {
  test('the cap of the key, until others have spent more of the project', async () => {
    const { key, projectId } = await capped(4, { quotaLimit: 6 });
    const { key: free } = await keyIn(projectId);
    const answer = await gateway.ping(key);
    expect(answer.headers).toMatchObject(left(4, 3));
    const seconds = MONTH_END_EPOCH_SECONDS - NOW_MS / 1_000;
    expect(answer.headers).toMatchObject({
      'ratelimit-policy': '"minute";q=1800;w=60, "quota";q=6, "key-quota";q=4',
      ratelimit: `"minute";r=1799;t=30, "quota";r=5;t=${seconds}, "key-quota";r=3;t=${seconds}`,
    });
    await gateway.ping(free);
    await gateway.ping(free);
    // Three units are left in both.
    expect((await gateway.ping(key, { body: 'no' })).headers).toMatchObject(left(6, 3));
    expect((await gateway.ping(free)).headers).toMatchObject(left(6, 2));
    expect((await gateway.ping(key)).headers).toMatchObject(left(6, 1));
  });

  test('that of the key alone, where the project has none', async () => {
    const { key } = await capped(2, { quotaLimit: undefined });
    expect((await gateway.ping(key)).headers).toMatchObject({
      ...left(2, 1),
      'ratelimit-policy': '"minute";q=1800;w=60, "key-quota";q=2',
    });
  });

  test('or that refused, where both have nothing left', async () => {
    const { key } = await capped(3, { quotaLimit: 1 });
    await gateway.ping(key);
    expect(await gateway.ping(key)).toMatchObject({ body: { code: 'QUOTA_EXCEEDED' }, headers: left(1, 0) });
    const asked = await gateway.ping(key, { body: JSON.stringify({ simulate: 'KEY_QUOTA_EXCEEDED' }) });
    expect(asked).toMatchObject({ body: { code: 'KEY_QUOTA_EXCEEDED' }, headers: left(3, 0) });
  });

  test('and a simulated refusal by a limit that there is not leaves that', async () => {
    const { key } = await capped(3, { quotaLimit: undefined });
    const asked = await gateway.ping(key, { body: JSON.stringify({ simulate: 'QUOTA_EXCEEDED' }) });
    expect(asked).toMatchObject({ body: { code: 'QUOTA_EXCEEDED' }, headers: left(3, 3) });
    expect(asked.headers).not.toHaveProperty('ratelimit');
  });

  test('also of a refusal by the rate limit and of a replay', async () => {
    const { key } = await capped(5, { rpm: 2 });
    await gateway.ping(key, under('a'));
    expect((await gateway.ping(key, under('a'))).headers).toMatchObject(left(5, 4));
    expect(await gateway.ping(key)).toMatchObject({ body: { code: 'RATE_LIMIT_EXCEEDED' }, headers: left(5, 4) });
  });
});

describe('a changed cap holds for the next request:', () => {
  test('a higher one, a lower one, one below what is spent, and none', async () => {
    const { key, keyId, projectId } = await capped(1);
    const codes = [codeOf(await gateway.ping(key)), codeOf(await gateway.ping(key))];
    for (const [cap, count] of [
      [3, 3],
      [2, 1],
      [4, 2],
    ] as const) {
      await setCap(projectId, keyId, cap);
      for (let n = 0; n < count; n++) codes.push(codeOf(await gateway.ping(key)));
    }
    const no = 'KEY_QUOTA_EXCEEDED';
    expect(codes).toEqual([200, no, 200, 200, no, no, 200, no]);
    await setCap(projectId, keyId, 'none');
    expect((await gateway.ping(key)).headers).toMatchObject(left(10_000, 9_995));
    // Units that were charged without a cap do not count in it.
    expect(await storedCaps(projectId)).toEqual({ [keyId]: 4 });
    await setCap(projectId, keyId, 5);
    expect([codeOf(await gateway.ping(key)), codeOf(await gateway.ping(key))]).toEqual([200, no]);
    expect(await gateway.verify(projectId)).toEqual(balanced(6));
  });

  test('under load never a unit over the highest, and in the end every unit of the last', async () => {
    const { key, keyId, projectId } = await capped(5, { shards: 3 });
    let isChanging = true;
    const codes = new Set<unknown>();
    const send = async (instance: TestGateway): Promise<void> => {
      while (isChanging) codes.add(codeOf(await instance.ping(key)));
    };
    const load = Promise.all([gateway, other, gateway].map(send));
    for (const cap of [9, 3, 20, 12]) await setCap(projectId, keyId, cap);
    isChanging = false;
    await load;
    // The load may have ended below the cap: the last refusal comes here.
    for (let code: unknown = 200; code === 200; codes.add(code)) code = codeOf(await gateway.ping(key));
    const { [keyId]: units } = await storedCaps(projectId);
    expect(Number(units)).toBeGreaterThanOrEqual(12);
    expect(Number(units)).toBeLessThanOrEqual(20);
    expect(codes).toEqual(new Set([200, 'KEY_QUOTA_EXCEEDED']));
    expect(await gateway.verify(projectId)).toEqual(balanced(Number(units)));
  });
});

describe('both keys of a grace', () => {
  test('spend from one counter under one limit', async () => {
    const { key, keyId, projectId } = await capped(7);
    await gateway.ping(key);
    const { key: next } = await rotateKey(gateway.store, projectId, keyId, HOUR_MS);
    const answers = await atOnce(24, (instance, n) => instance.ping(Math.floor(n / 2) % 2 === 0 ? key : next));
    expect(answers).toEqual({ 200: 6, KEY_QUOTA_EXCEEDED: 18 });
    expect(await storedCaps(projectId)).toEqual({ [keyId]: 7 });
    expect(await gateway.verify(projectId)).toEqual(balanced(7));
  });

  test('get one cap by a change, which the replaced one cannot have of its own', async () => {
    const { key, keyId, projectId } = await tenant(gateway, { rpm: RPM });
    const { key: next, keyId: nextId } = await rotateKey(gateway.store, projectId, keyId, HOUR_MS);
    await expect(setCap(projectId, keyId, 3)).rejects.toThrow(`its successor is ${nextId}`);
    await setCap(projectId, nextId, 3);
    expect((await gateway.ping(key)).headers).toMatchObject(left(3, 2));
    expect((await gateway.ping(next)).headers).toMatchObject(left(3, 1));
    await setCap(projectId, nextId, 2);
    expect([codeOf(await gateway.ping(key)), codeOf(await gateway.ping(next))]).toEqual([
      'KEY_QUOTA_EXCEEDED',
      'KEY_QUOTA_EXCEEDED',
    ]);
    await setCap(projectId, nextId, 'none');
    expect([codeOf(await gateway.ping(key)), codeOf(await gateway.ping(next))]).toEqual([200, 200]);
    expect(await storedCaps(projectId)).toEqual({ [nextId]: 2 });
    // The successor's successor has the same counter.
    await setCap(projectId, nextId, 3);
    const third = await rotateKey(gateway.store, projectId, nextId, HOUR_MS, undefined, keyId);
    expect([codeOf(await gateway.ping(third.key)), codeOf(await gateway.ping(next))]).toEqual([
      200,
      'KEY_QUOTA_EXCEEDED',
    ]);
    expect(await storedCaps(projectId)).toEqual({ [nextId]: 3 });
    expect(await gateway.verify(projectId)).toEqual(balanced(5));
  });
});

describe('a request that loses the last units of a cap to another', () => {
  test.each([1, 2, 32])('is refused by the cap, with the cap’s headers, in %i shards', async (shards) => {
    const { key, projectId } = await capped(3, { shards });
    await gateway.ping(key);
    const { arrange } = meanwhile('TransactWriteItems', {}, async () => [
      await gateway.ping(key),
      await gateway.ping(key),
    ]);
    // Only the condition of the cap fails.
    const late = testGateway();
    arrange(late.client);
    const calls = recordCalls(late.client);
    const refused = await late.ping(key);
    expect(refused).toMatchObject({ body: { code: 'KEY_QUOTA_EXCEEDED' }, headers: left(3, 0) });
    expect(calls.commands.filter((name) => name === 'TransactWriteItems')).toHaveLength(1);
    expect(await gateway.verify(projectId)).toEqual(balanced(3));
  });

  /** A change, requests, or both: what happens right before the settlement. */
  const quota = (of: number) => (projectId: string) => updateProject(gateway.store, projectId, { quota: of });
  const inShards = (projectId: string) => updateProject(gateway.store, projectId, { shards: 2 });
  const [one, toThree] = [{}, three];
  test.each([
    [
      'is shown what is left where that is too little',
      capOf(4),
      [],
      [toThree],
      toThree,
      'KEY_QUOTA_EXCEEDED',
      left(4, 1),
      3,
    ],
    [
      'with those of the project is refused by it',
      capOf(2, { quotaLimit: 2 }),
      [one],
      [one],
      one,
      'QUOTA_EXCEEDED',
      left(2, 0),
      2,
    ],
    [
      'with those of the project in shards, too',
      capOf(2, { quotaLimit: 2, shards: 4 }),
      [one],
      [one],
      one,
      'QUOTA_EXCEEDED',
      left(2, 0),
      2,
    ],
    [
      'is refused by the project that has too few, too',
      capOf(7, { quotaLimit: 8 }),
      [],
      [toThree, toThree],
      toThree,
      'QUOTA_EXCEEDED',
      left(8, 2),
      6,
    ],
    [
      'is charged where both have units, though there are shards meanwhile',
      capOf(4, { quotaLimit: 3 }),
      [],
      [inShards, one],
      one,
      200,
      {},
      2,
    ],
    [
      'is charged where the quota is raised meanwhile',
      capOf(5, { quotaLimit: 2, shards: 2 }),
      [one],
      [one, quota(9), one],
      one,
      200,
      {},
      4,
    ],
  ] as const)('%s', async (_, [unitsLimit, more], before, between, request, code, headers, units) => {
    const { key, projectId } = await capped(unitsLimit, more);
    for (const each of before) await gateway.ping(key, each);
    const { arrange } = meanwhile('TransactWriteItems', request, async () => {
      for (const each of between) await (typeof each === 'function' ? each(projectId) : gateway.ping(key, each));
      return [];
    });
    const late = testGateway();
    arrange(late.client);
    const answer = await late.ping(key, request);
    expect([codeOf(answer), answer.headers]).toEqual([code, expect.objectContaining(headers)]);
    expect(await gateway.verify(projectId)).toEqual(balanced(units));
  });
});

describe('of duplicates under one Idempotency-Key', () => {
  test('one that spends the last unit between two readings is replayed, and not refused by the cap', async () => {
    const { key, keyId, projectId } = await capped(1);
    await gateway.ping(key);
    const late = testGateway();
    meanwhile('TransactGetItems', under('a'), async () => {
      await setCap(projectId, keyId, 2);
      return [await gateway.ping(key, under('a'))];
    }).arrange(late.client);
    expect((await late.ping(key, under('a'))).headers).toMatchObject({ 'x-service-idempotency-replayed': 'true' });
    expect(await gateway.verify(projectId)).toEqual(balanced(2));
  });

  test.each([
    ['of the same key leaves less of its cap', true, left(5, 4)],
    ['of another key leaves less of the project alone', false, left(5, 5)],
  ])('one %s', async (_, isSame, headers) => {
    const { key, projectId } = await capped(5);
    const { key: free } = await keyIn(projectId);
    const late = testGateway();
    meanwhile('TransactWriteItems', under('a'), async () => [
      await gateway.ping(isSame ? key : free, under('a')),
    ]).arrange(late.client);
    expect(await late.ping(key, under('a'))).toMatchObject({
      headers: { ...headers, 'x-service-idempotency-replayed': 'true' },
    });
    expect(await gateway.verify(projectId)).toEqual(balanced(1));
  });
});

describe('a settlement under a cap', () => {
  test('that was applied, but said to be in conflict, is charged once', async () => {
    const { key, keyId, projectId } = await capped(1);
    let isLost = false;
    intercept(gateway.client, async (attempt) => {
      if (attempt.operation !== 'TransactWriteItems' || isLost) return attempt.send();
      isLost = true;
      await apply(attempt);
      const CancellationReasons = ['None', 'None', 'TransactionConflict'].map((Code) => ({ Code }));
      throw new TransactionCanceledException({ message: 'in conflict', $metadata: {}, CancellationReasons });
    });
    expect(await gateway.ping(key)).toMatchObject({ status: 200, headers: left(1, 0) });
    expect(await storedCaps(projectId)).toEqual({ [keyId]: 1 });
    expect(await gateway.verify(projectId)).toEqual(balanced(1));
  });

  test('has its cap in the event that was charged, and in no other', async () => {
    const { key, keyId, projectId } = await capped(1);
    const { key: free } = await keyIn(projectId);
    for (const each of [key, key, free]) await gateway.ping(each);
    const { client, tables } = gateway.store;
    const store = { ...gateway.store, client, tables: { ...tables, gateway: tables.usage } };
    const events = await Array.fromAsync(itemsFrom(store, { pk: projectId, sk: '2' }));
    const recorded = events.map(({ units, code, capId }) => [units, code, capId]);
    expect(recorded).toHaveLength(3);
    expect(recorded).toEqual(
      expect.arrayContaining([
        [1, null, keyId],
        [0, 'KEY_QUOTA_EXCEEDED', undefined],
        [1, null, undefined],
      ]),
    );
  });
});

describe('an instance', () => {
  const FIRST = ['UpdateItem', 'BatchGetItem'];
  /** The calls of each request. */
  async function callsOf(instance: TestGateway, key: string, count: number) {
    const all = [];
    for (let n = 0; n < count; n++) {
      const record = recordCalls(instance.client);
      await instance.ping(key);
      all.push([record.roundTrips, ...record.commands]);
      instance.client.middlewareStack.remove('recordCalls');
    }
    return all;
  }

  test('reads the counter of a key that it does not know by one call more, and from then on with the project', async () => {
    const { key, keyId, projectId } = await capped(9);
    const settled = [...FIRST, 'TransactWriteItems'];
    expect(await callsOf(gateway, key, 3)).toEqual([
      [3, ...FIRST, 'BatchGetItem', 'TransactWriteItems'],
      [2, ...settled],
      [2, ...settled],
    ]);
    await setCap(projectId, keyId, 'none');
    expect(await callsOf(gateway, key, 2)).toEqual([
      [2, ...settled],
      [2, ...settled],
    ]);
    await setCap(projectId, keyId, 9);
    expect((await callsOf(gateway, key, 1))[0]).toEqual([3, ...FIRST, 'BatchGetItem', 'TransactWriteItems']);
  });
});
