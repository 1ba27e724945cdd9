import { beforeEach, describe, expect, test } from '@jest/globals';
import { revokeKey, updateKey } from '../../functions/accounts/keys/api-keys.ts';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import { suspendProject, updateProject } from '../../functions/accounts/projects/projects.ts';
import { ANSWER_LOST } from '../../functions/shared/request/operation.ts';
import { assertBooks } from '../support/books.ts';
import { endlessDeadline } from '../support/deadline.ts';
import { tenant, testGateway, type TenantOptions, type TestGateway } from '../support/gateway.ts';
import type { TestRequest, TestResponse } from '../support/http.ts';
import { testClock } from '../support/reports.ts';
import { triple, upTo } from '../support/test-operation.ts';
import { MINUTE_MS, NOW_MS } from '../support/times.ts';
import { under } from '../support/visits.ts';

/** All in the minute of NOW_MS. */
const SAME_MINUTE_MS = [-20_000, 0, 10_000];
/** 90 s from the last to the first, across the ends of two minutes. */
const APART_MS = [-45_000, 0, 45_000];
/** Enough for races within each instance and between them. */
const COUNT = 24;

/** Instances of the function on the same tables, with clocks that differ. The second one's shows NOW_MS. */
let instances: TestGateway[];
let gateway: TestGateway;
const start = (leadsMs: readonly number[]): void => {
  // As in production: a random choice among shards, and time for more than a few attempts.
  const crowded = { random: Math.random, startDeadline: endlessDeadline };
  instances = leadsMs.map((leadMs) => testGateway({ ...crowded, clock: testClock(NOW_MS + leadMs) }));
  gateway = instances[1] ?? testGateway();
};
beforeEach(() => start(SAME_MINUTE_MS));

/** A rate limit that does not matter, and that a key with a cap may have. */
const FAST = { rpm: 1_800 };

type Request = Partial<TestRequest>;
interface Sent {
  readonly request: Request;
  readonly response: TestResponse;
}
let turn = 0;
/** Sends a request to the next instance. */
async function send(key: string, request: Request): Promise<Sent> {
  const instance = instances[turn++ % instances.length] ?? gateway;
  return { request, response: await instance.ping(key, request) };
}
const atOnce = (key: string, requestOf: (n: number) => Request): Promise<Sent[]> =>
  Promise.all(Array.from({ length: COUNT }, (_, n) => send(key, requestOf(n))));

const isReplay = ({ headers }: TestResponse): boolean => headers['x-service-idempotency-replayed'] === 'true';
const asksForLoss = ({ body }: Request): boolean => (body as { simulate?: unknown }).simulate === ANSWER_LOST;
/** A success that was asked to be lost is `charged`, too; one that comes nevertheless is not. */
function outcomeOf({ request, response }: Sent): string {
  const isLost = response.headers['x-service-simulated'] === 'true';
  if (response.status !== 200) return isLost ? 'charged' : String(response.body.code);
  if (isReplay(response)) return 'replayed';
  return asksForLoss(request) ? 'not lost' : 'charged';
}
const tally = (sent: readonly Sent[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(sent, outcomeOf)].map(([outcome, some]) => [outcome, some.length]));
/** The units of a project after all of this. Fails unless its ledger agrees with each answer. */
async function unitsAfter(projectId: string, sent: readonly Sent[]): Promise<number> {
  const units = await assertBooks(gateway, projectId, sent);
  const events = await gateway.events(projectId);
  const { charged = 0, replayed = 0 } = tally(sent);
  const count = (name: string): number => events.filter(({ event }) => event === name).length;
  expect([count('request_succeeded'), count('idempotency_replay')]).toEqual([charged, replayed]);
  expect(instances.flatMap(({ telemetry }) => telemetry.failures)).toEqual([]);
  return Object.values(units).reduce((sum, each) => sum + each, 0);
}

const each = (n: number): Request => under(`request-${n}`);
const same = (): Request => under('same');
const three = { path: triple.path };
const lost = (request: Request): Request => ({
  ...request,
  body: { ...(request.body as object), simulate: ANSWER_LOST },
});
type Row = readonly [string, TenantOptions, (n: number) => Request, Record<string, number>, number];
const ROWS: readonly Row[] = [
  ...[1, 2, 7, 32].map((shards): Row => [
    `a quota of 7, shards: ${shards}`,
    { quotaLimit: 7, shards },
    each,
    { charged: 7, QUOTA_EXCEEDED: 17 },
    7,
  ]),
  ...[1, 2, 32].map((shards): Row => [
    `a cap of 7, shards: ${shards}`,
    { unitsLimit: 7, shards },
    each,
    { charged: 7, KEY_QUOTA_EXCEEDED: 17 },
    7,
  ]),
  ...[1, 4].map((shards): Row => [
    `one Idempotency-Key with the last unit of a cap, shards: ${shards}`,
    { unitsLimit: 1, shards },
    same,
    { charged: 1, replayed: 23 },
    1,
  ]),
  ...[1, 5].map((shards): Row => [
    `one Idempotency-Key, and an answer that is to be lost, shards: ${shards}`,
    { quotaLimit: 10, shards },
    () => lost(same()),
    { charged: 1, replayed: 23 },
    1,
  ]),
  ['one Idempotency-Key', {}, same, { charged: 1, replayed: 23 }, 1],
  ...[1, 4].map((shards): Row => [
    `one Idempotency-Key with the last unit, shards: ${shards}`,
    { quotaLimit: 1, shards },
    same,
    { charged: 1, replayed: 23 },
    1,
  ]),
  [
    'two bodies under one Idempotency-Key: the other only conflicts',
    {},
    (n) => ({ ...same(), body: { clientRequestId: n % 2 ? 'odd' : 'even' } }),
    { charged: 1, replayed: 11, IDEMPOTENCY_CONFLICT: 12 },
    1,
  ],
  [
    'every second answer is to be lost, and the last units are fought for',
    { quotaLimit: 7 },
    (n) => (n % 2 ? lost(each(n)) : each(n)),
    { charged: 7, QUOTA_EXCEEDED: 17 },
    7,
  ],
  [
    'three units each of 7',
    { quotaLimit: 7 },
    (n) => ({ ...each(n), ...three }),
    { charged: 2, QUOTA_EXCEEDED: 22 },
    6,
  ],
  [
    'three units each of a cap of 7',
    { unitsLimit: 7 },
    (n) => ({ ...each(n), ...three }),
    { charged: 2, KEY_QUOTA_EXCEEDED: 22 },
    6,
  ],
  ...[1, 4].map((shards): Row => [
    `one Idempotency-Key, and the last units of a quota that it could take: of five it takes two, shards: ${shards}`,
    { quotaLimit: 5, shards },
    () => ({ ...same(), path: upTo.path }),
    { charged: 1, replayed: 23 },
    2,
  ]),
  [
    'three units under one Idempotency-Key',
    { quotaLimit: 5 },
    () => ({ ...same(), ...three }),
    { charged: 1, replayed: 23 },
    3,
  ],
];

describe(`${COUNT} requests to three instances at once`, () => {
  test.each(ROWS)('are right to the unit: %s', async (_what, options, requestOf, expected, units) => {
    const { key, projectId } = await tenant(gateway, { ...FAST, ...options });
    const sent = await atOnce(key, requestOf);
    expect(tally(sent)).toEqual(expected);
    const successes = sent.filter(({ response }) => response.status === 200);
    for (const [id, some] of Map.groupBy(successes, ({ request }) => request.headers?.['idempotency-key']))
      expect([id, new Set(some.map(({ request }) => JSON.stringify(request.body))).size]).toEqual([id, 1]);
    expect(await unitsAfter(projectId, sent)).toBe(units);
  });

  test('against 10 a minute are exactly 10 in a window, and 10 again in the next', async () => {
    const { key, projectId } = await tenant(gateway, { rpm: 10 });
    const first = await atOnce(key, (n) => under(`first-${n}`));
    for (const { clock } of instances) clock.nowMs += MINUTE_MS;
    const second = await atOnce(key, (n) => under(`second-${n}`));
    for (const sent of [first, second]) expect(tally(sent)).toEqual({ charged: 10, RATE_LIMIT_EXCEEDED: COUNT - 10 });
    expect(await unitsAfter(projectId, [...first, ...second])).toBe(20);
  });

  test('against 6 a minute are at most 6 in each window where clocks are 90 s apart, and 6 in the last', async () => {
    start(APART_MS);
    const { key, projectId } = await tenant(gateway, { rpm: 6 });
    const sent = await atOnce(key, each);
    const byWindow = Map.groupBy(sent, ({ response }) => Number(response.headers['x-ratelimit-reset']));
    const counts = [...byWindow].sort(([a], [b]) => a - b).map(([, some]) => tally(some).charged ?? 0);
    for (const count of counts) expect(count).toBeLessThanOrEqual(6);
    // The instance whose clock leads gets eight of the requests, and counts each of them there.
    expect(counts.at(-1)).toBe(6);
    await unitsAfter(projectId, sent);
  });
});

type Tenant = Awaited<ReturnType<typeof tenant>>;

describe('a change under load holds for every request that is sent after it returned:', () => {
  test.each<[string, string, (subject: Tenant) => Promise<unknown>]>([
    ['a revocation', 'API_KEY_REVOKED', ({ projectId, keyId }) => revokeKey(gateway.store, projectId, keyId)],
    ['a suspension', 'PROJECT_SUSPENDED', ({ projectId }) => suspendProject(gateway.store, projectId)],
    ['a lower quota', 'QUOTA_EXCEEDED', ({ projectId }) => updateProject(gateway.store, projectId, { quota: 10 })],
    [
      'a lower quota in shards',
      'QUOTA_EXCEEDED',
      async ({ projectId }) => {
        await updateProject(gateway.store, projectId, { shards: 7 });
        await updateProject(gateway.store, projectId, { quota: 10 });
      },
    ],
    [
      'a lower rate limit',
      'RATE_LIMIT_EXCEEDED',
      ({ projectId, keyId }) => updateKey(gateway.store, projectId, keyId, { rpm: 10 }),
    ],
  ])('%s: none of them succeeds', async (_, code, change) => {
    const subject = await tenant(gateway, FAST);
    const { before, meanwhile, after } = await underLoad({
      send: (n) => send(subject.key, each(n)),
      change: () => change(subject),
    });
    expect(tally(before)).toEqual({ charged: before.length });
    expect(tally(after)).toEqual({ [code]: after.length });
    await unitsAfter(subject.projectId, [...before, ...meanwhile, ...after]);
  });

  test('a rotation: none is dropped, with the old key within its grace or with the new one', async () => {
    const { key, keyId, projectId } = await tenant(gateway, FAST);
    const keys = [key];
    const used: string[] = [];
    const { before, meanwhile, after } = await underLoad({
      send: (n) => {
        const one = keys[n % keys.length] ?? key;
        used.push(one);
        return send(one, each(n));
      },
      change: async () => keys.push((await rotateKey(gateway.store, projectId, keyId, 10 * MINUTE_MS)).key),
    });
    const sent = [...before, ...meanwhile, ...after];
    expect(tally(sent)).toEqual({ charged: sent.length });
    expect(new Set(used.slice(-after.length)).size).toBe(2);
    expect(await unitsAfter(projectId, sent)).toBe(sent.length);
  });
});

const IN_FLIGHT = 12;
/** The number of requests before the change begins, and after it is done. */
const BEFORE = 24;
const AFTER = 24;

/** Makes a change while a fixed number of requests is in flight, and groups these by time. */
async function underLoad<T>(load: { send: (n: number) => Promise<T>; change: () => Promise<unknown> }) {
  // Of those in `meanwhile` either result is right.
  const around = { before: [] as T[], meanwhile: [] as T[], after: [] as T[] };
  const warm = Promise.withResolvers<undefined>();
  let phase: keyof typeof around = 'before';
  let sent = 0;
  let answered = 0;
  let toSendAfter = AFTER;
  const sender = async (): Promise<void> => {
    while (phase !== 'after' || toSendAfter-- > 0) {
      const isAfter = phase === 'after';
      const ended = await load.send(sent++);
      around[isAfter ? 'after' : phase === 'before' ? 'before' : 'meanwhile'].push(ended);
      if (++answered === BEFORE) warm.resolve(undefined);
    }
  };
  const senders = Promise.all(Array.from({ length: IN_FLIGHT }, sender));
  await Promise.race([warm.promise, senders]);
  phase = 'meanwhile';
  await load.change();
  phase = 'after';
  await senders;
  return around;
}
