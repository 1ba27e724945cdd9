import { beforeEach, describe, expect, test } from '@jest/globals';
import { createKey, revokeKey, updateKey } from '../../functions/accounts/keys/api-keys.ts';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import { budget, storeCap, storedCaps, storeLimit } from '../support/caps.ts';
import { recordCalls } from '../support/database.ts';
import { endlessDeadline } from '../support/deadline.ts';
import { IS_FULL } from '../support/extent.ts';
import { apply, intercept } from '../support/faults.ts';
import { KEY, tenant, testGateway, type TenantOptions, type TestGateway } from '../support/gateway.ts';
import type { TestResponse } from '../support/http.ts';
import { HOUR_MS } from '../support/times.ts';
import { triple } from '../support/test-operation.ts';
import { meanwhile, under } from '../support/visits.ts';

const NO = 'KEY_QUOTA_EXCEEDED';
const codeOf = ({ status, body }: TestResponse) => (status === 200 ? 200 : body.code);
const isReplay = ({ headers }: TestResponse) => headers['x-service-idempotency-replayed'] === 'true';
const three = { body: {}, path: triple.path };

let gateway: TestGateway;
let other: TestGateway;
beforeEach(() => {
  // As in production: a random choice, and time for more than a few attempts.
  const crowded = { random: Math.random, startDeadline: endlessDeadline };
  [gateway, other] = [testGateway(crowded), testGateway(crowded)];
});

/** A project with keys that spend from one budget. */
async function keysOf(limit: number, { count = 3, ...options }: TenantOptions & { readonly count?: number } = {}) {
  const { projectId, accountId } = await tenant(gateway, options);
  return { projectId, accountId, ...(await budget(gateway.store, projectId, count, limit)) };
}
const counterOf = async (projectId: string, capId: string) =>
  (await storedCaps(gateway.store, projectId))[`once#${capId}`];
const countsOf = (answers: readonly TestResponse[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(answers, codeOf)].map(([code, some]) => [String(code), some.length]));

describe('24 at once over three keys of a budget of 7 are charged 7', () => {
  const TIMES = IS_FULL ? 100 : 3;
  test.each([1, 3])(
    `each of ${TIMES} times, in %i shards`,
    async (shards) => {
      for (let n = 0; n < TIMES; n++) {
        const { projectId, capId, keys } = await keysOf(7, { shards });
        const answers = await Promise.all(
          Array.from({ length: 24 }, (_, i) => (i % 2 === 0 ? gateway : other).ping(keys[Math.floor(i / 2) % 3] ?? '')),
        );
        expect(countsOf(answers)).toEqual({ 200: 7, [NO]: 17 });
        expect(await counterOf(projectId, capId)).toEqual({ units: 7, limit: 7, 'm2030-01': 7 });
        expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 7, ledgerUnits: 7 });
      }
    },
    600_000,
  );
});

test('a lowered limit and 0 hold from their commit on, under load over all keys', async () => {
  const { projectId, capId, keys, keyIds } = await keysOf(1_000, { shards: 3 });
  let isOpen = true;
  const codes = new Set<unknown>();
  const load = Promise.all(
    keys.flatMap((key) =>
      [gateway, other].map(async (instance) => {
        while (isOpen) codes.add(codeOf(await instance.ping(key)));
      }),
    ),
  );
  const used = async () => ((await counterOf(projectId, capId)) as { units?: number }).units ?? 0;
  const until = async (units: number): Promise<void> => {
    while ((await used()) < units);
  };
  await until(5);
  /** A change by a key, beside the charges of all. Returns at least the units at its commit. */
  const limitTo = async (unitsLimit: number, key: number): Promise<number> => {
    await updateKey(gateway.store, projectId, keyIds[key] ?? '', { unitsLimit });
    return used();
  };
  const low = await limitTo(10, 1);
  const ceiling = Math.max(10, low);
  await until(10);
  for (let n = 0; n < 12; n++) expect(await used()).toBeLessThanOrEqual(ceiling);
  await limitTo(1_000, 0);
  await until(ceiling + 5);
  const atStop = await limitTo(0, 2);
  for (let n = 0; n < 6; n++) expect(codeOf(await gateway.ping(keys[n % 3] ?? ''))).toBe(NO);
  isOpen = false;
  await load;
  expect(await counterOf(projectId, capId)).toMatchObject({ units: atStop, limit: 0 });
  expect(codes).toEqual(new Set([200, NO]));
  expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: atStop, ledgerUnits: atStop });
}, 60_000);

describe('a request in flight, when', () => {
  /** Happens right before the settlement of a request that has read a budget of 7. */
  const whileSettling = async (
    happen: (of: Awaited<ReturnType<typeof keysOf>>) => Promise<unknown>,
    before: number,
    request = {},
  ) => {
    const of = await keysOf(7);
    for (let n = 0; n < before; n++) await gateway.ping(of.keys[1] ?? '');
    const { arrange } = meanwhile('TransactWriteItems', request, async () => {
      await happen(of);
      return [];
    });
    const late = testGateway();
    arrange(late.client);
    const calls = recordCalls(late.client);
    const answer = await late.ping(of.keys[2] ?? '', request);
    const { units = 0 } = ((await counterOf(of.projectId, of.capId)) ?? {}) as { units?: number };
    expect(await gateway.verify(of.projectId)).toEqual({ consistent: true, quotaUsed: units, ledgerUnits: units });
    return {
      code: codeOf(answer),
      units,
      attempts: calls.commands.filter((name) => name === 'TransactWriteItems').length,
    };
  };
  const limitTo =
    (limit: number) =>
    ({ projectId, capId }: { projectId: string; capId: string }) =>
      storeLimit(gateway.store, projectId, capId, limit);

  test.each([
    ['the limit is lowered below what is used, is refused', limitTo(2), 3, {}, { code: NO, units: 3, attempts: 1 }],
    ['the budget is stopped, is refused', limitTo(0), 0, {}, { code: NO, units: 0, attempts: 1 }],
    [
      'the limit is lowered and leaves room, reads again and is charged',
      limitTo(5),
      3,
      {},
      { code: 200, units: 4, attempts: 2 },
    ],
    ['the limit is raised, reads again and is charged', limitTo(9), 6, {}, { code: 200, units: 7, attempts: 2 }],
    [
      'another key spends the last units, is refused',
      async ({ keys }: { keys: string[] }) => gateway.ping(keys[0] ?? ''),
      6,
      {},
      { code: NO, units: 7, attempts: 1 },
    ],
    [
      'another key leaves fewer than it costs, is refused',
      async ({ keys }: { keys: string[] }) => gateway.ping(keys[0] ?? ''),
      4,
      three,
      { code: NO, units: 5, attempts: 1 },
    ],
    [
      'its first key is revoked, is charged',
      async ({ projectId, capId }: { projectId: string; capId: string }) =>
        revokeKey(gateway.store, projectId, capId.slice(0, -2)),
      3,
      {},
      { code: 200, units: 4, attempts: 1 },
    ],
  ] as const)('%s', async (_, happen, before, request, outcome) => {
    expect(await whileSettling(happen, before, request)).toEqual(outcome);
  });

  test.each([
    ['and the limit is higher than its own', 3, [200, 200, 200, NO]],
    ['and stopped', 0, [NO, NO]],
  ] as const)(
    'the key that it belongs to is first shared, %s, reads again: the counter’s limit holds',
    async (_, limit, codes) => {
      const { projectId, key, keyId } = await tenant(gateway, { rpm: 180 });
      const capId = `${keyId}.o`;
      await storeCap(gateway.store, key, 1, capId);
      const { arrange } = meanwhile('TransactWriteItems', {}, async () => {
        await storeLimit(gateway.store, projectId, capId, limit);
        return [];
      });
      const late = testGateway();
      arrange(late.client);
      // Its own copy says 1, which only the version before reads.
      for (const code of codes) expect(codeOf(await late.ping(key))).toBe(code);
      expect(await counterOf(projectId, capId)).toEqual({ limit, ...(limit > 0 && { units: 3, 'm2030-01': 3 }) });
    },
  );

  test('a duplicate under its Idempotency-Key spends the last unit, is replayed with what is left', async () => {
    const { projectId, capId, keys } = await keysOf(2);
    const [first = '', second = ''] = keys;
    await gateway.ping(first);
    const late = testGateway();
    meanwhile('TransactWriteItems', under('a'), async () => [await gateway.ping(first, under('a'))]).arrange(
      late.client,
    );
    const answer = await late.ping(second, under('a'));
    expect([codeOf(answer), isReplay(answer), answer.headers.ratelimit]).toEqual([
      200,
      true,
      expect.stringMatching(/"quota";r=9998;t=\d+, "key-quota";r=0$/),
    ]);
    expect(await counterOf(projectId, capId)).toMatchObject({ units: 2 });
    expect(await gateway.verify(projectId)).toMatchObject({ consistent: true });
  });

  test('its settlement is applied, and its answer never heard, is charged once under its Idempotency-Key', async () => {
    const { projectId, capId, keys } = await keysOf(1);
    const [first = '', second = ''] = keys;
    const lost = testGateway();
    intercept(lost.client, async (attempt) => {
      if (attempt.operation !== 'TransactWriteItems') return attempt.send();
      await apply(attempt);
      throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', $metadata: {} });
    });
    expect((await lost.ping(first, under('a'))).status).toBe(503);
    const again = await gateway.ping(second, under('a'));
    expect([codeOf(again), isReplay(again)]).toEqual([200, true]);
    expect(codeOf(await gateway.ping(second, under('b')))).toBe(NO);
    expect(await counterOf(projectId, capId)).toEqual({ units: 1, limit: 1, 'm2030-01': 1 });
  });
});

test('the successor of a key spends from its budget, and the end of the first key ends nobody', async () => {
  const { projectId, capId, keys } = await keysOf(4);
  const [first = '', second = ''] = keys;
  const firstId = capId.slice(0, -2);
  await gateway.ping(first);
  const { key: next } = await rotateKey(gateway.store, projectId, firstId, HOUR_MS);
  await gateway.ping(next);
  await revokeKey(gateway.store, projectId, firstId);
  expect(codeOf(await gateway.ping(first))).toBe('API_KEY_REVOKED');
  expect([
    codeOf(await gateway.ping(next)),
    codeOf(await gateway.ping(second)),
    codeOf(await gateway.ping(second)),
  ]).toEqual([200, 200, NO]);
  expect(await counterOf(projectId, capId)).toMatchObject({ units: 4 });
});

test('a limit of 0 refuses all, and before the first unit, too', async () => {
  const { projectId, keys } = await keysOf(0);
  for (const key of keys) expect(codeOf(await gateway.ping(key))).toBe(NO);
  const { key: free } = await createKey(gateway.store, { projectId, ...KEY });
  expect(codeOf(await gateway.ping(free))).toBe(200);
  expect(await gateway.verify(projectId)).toEqual({ consistent: true, quotaUsed: 1, ledgerUnits: 1 });
});

test('a request of a budget takes the calls and round trips of one with a cap', async () => {
  const { keys } = await keysOf(9);
  await gateway.ping(keys[0] ?? '');
  const calls = recordCalls(gateway.client);
  await gateway.ping(keys[0] ?? '');
  expect([calls.roundTrips, calls.commands]).toEqual([2, ['UpdateItem', 'BatchGetItem', 'TransactWriteItems']]);
});
