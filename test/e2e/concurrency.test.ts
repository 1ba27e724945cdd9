import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { revokeKey, updateKey } from '../../functions/accounts/keys/api-keys.ts';
import { rotateKey } from '../../functions/accounts/keys/key-rotation.ts';
import { suspendProject, updateProject } from '../../functions/accounts/projects/projects.ts';
import type { RunningDatabase } from '../../local/database.ts';
import { chooseEngine } from '../../local/engines.ts';
import { crowd, isAnswered, isReplay, keyedPing, tally, type Attempt, type Crowd } from '../support/crowd.ts';
import { startEngine } from '../support/engine.ts';
import { startFleet, type Fleet } from '../support/fleet.ts';
import { tenant } from '../support/gateway.ts';
import { checkLedger } from '../support/ledger-check.ts';
import { operatorOf, type Operator } from '../support/operator.ts';
import { MINUTE_MS, NOW_MS } from '../support/times.ts';

/** The rate limit must not matter. */
const FAST = { rpm: 1_000_000 };
/** The number of pings at once; the quota is a quarter of it. */
const MANY = 400;
/**
 * Enough for races in each process and between them. Each call waits for all others at the one engine, so with more, a
 * busy machine takes a second for each call, and a request with three attempts misses its deadline.
 */
const CONNECTIONS_PER_GATEWAY = 6;
/** All in the minute of NOW_MS, even if a test takes fifteen seconds or more on a slow machine. */
const SAME_MINUTE_MS = [-20_000, 0, 10_000];
/** 90 s from the last to the first, across the ends of two minutes. */
const APART_MS = [-45_000, 0, 45_000];
/** The SDK repeats a call that takes longer; a repeated admission may count twice. */
const SDK_ATTEMPT_MS = 1_000;

let database: RunningDatabase;
let operator: Operator;
let fleet: Fleet;
let everyone: Crowd;

beforeAll(async () => {
  database = await startEngine(chooseEngine().name);
  const { endpoint } = database.address;
  operator = operatorOf(endpoint);
  fleet = await startFleet({ endpoint, leadsMs: SAME_MINUTE_MS, nowMs: NOW_MS });
});
afterAll(async () => {
  operator.close();
  await fleet.stop();
  await database.stop();
});
beforeEach(async () => {
  everyone = crowd(fleet.urls, CONNECTIONS_PER_GATEWAY);
  await fleet.setClocks(NOW_MS, SAME_MINUTE_MS);
});

/** Sends pings at the same time and waits for all of them. */
const all = (count: number, ping: (n: number) => ReturnType<typeof keyedPing>) =>
  Promise.all(Array.from({ length: count }, (_, n) => everyone.settle(ping(n))));
const verifyLedgerOf = async (projectId: string) => {
  everyone.close();
  expect(fleet.stderr()).toBe('');
  return Object.values(await checkLedger(operator.store, projectId, everyone.attempts));
};

describe('pings to three gateway processes at once', () => {
  test.each([1, 2, 7, 32])(
    `${MANY} against a quota of ${MANY / 4} in shards, of which there are %i, are exactly ${MANY / 4} successes`,
    async (shards) => {
      const quotaLimit = MANY / 4;
      const { key, projectId } = await tenant(operator, { ...FAST, quotaLimit, shards });
      const answers = await all(MANY, (n) => keyedPing(key, `ping-${n}`));
      const successes = answers.filter(({ answer }) => answer.status === 200);
      expect([successes.length, tally(answers).QUOTA_EXCEEDED]).toEqual([quotaLimit, MANY - quotaLimit]);
      expect(await verifyLedgerOf(projectId)).toEqual([quotaLimit]);
    },
  );

  test('200 against 60 RPM are exactly 60 in a window, and 60 again in the next', async () => {
    const { key, projectId } = await tenant(operator, { rpm: 60 });
    const first = await all(200, (n) => keyedPing(key, `first-${n}`));
    await fleet.setClocks(NOW_MS + MINUTE_MS);
    const second = await all(200, (n) => keyedPing(key, `second-${n}`));
    for (const answers of [first, second]) {
      const [counts, ...others] = successesByWindow(answers);
      expect(others).toEqual([]);
      expectSixty(counts);
      expect(tally(answers).RATE_LIMIT_EXCEEDED).toBe(200 - (counts ?? 0));
    }
    await verifyLedgerOf(projectId);
  });

  test('200 against 60 RPM are at most 60 in each window where clocks are 90 s apart, and 60 in the last', async () => {
    await fleet.setClocks(NOW_MS, APART_MS);
    const { key, projectId } = await tenant(operator, { rpm: 60 });
    const answers = await all(200, (n) => keyedPing(key, `ping-${n}`));
    const counts = successesByWindow(answers);
    for (const count of counts) expect(count).toBeLessThanOrEqual(60);
    expectSixty(counts.at(-1));
    await verifyLedgerOf(projectId);
  });

  test.each([10_000, 1])(
    '200 identical ones under one Idempotency-Key and a quota of %i are one execution, 199 replays and one unit',
    async (quotaLimit) => {
      const { key, projectId } = await tenant(operator, { ...FAST, quotaLimit });
      const answers = await all(200, () => keyedPing(key, 'same'));
      expect(tally(answers)).toEqual({ executed: 1, replayed: 199 });
      expect(await verifyLedgerOf(projectId)).toEqual([1]);
    },
  );

  test('two bodies under one Idempotency-Key: one wins, the other only ever conflicts', async () => {
    const { key, projectId } = await tenant(operator, FAST);
    const answers = await all(200, (n) => ({ key, label: n % 2 ? 'odd' : 'even', idempotencyKey: 'same' }));
    const winner = answers.find(({ answer }) => answer.status === 200)?.ping.label;
    const isWinners = ({ ping }: Attempt) => ping.label === winner;
    expect(tally(answers.filter(isWinners))).toEqual({ executed: 1, replayed: 99 });
    expect(tally(answers.filter((attempt) => !isWinners(attempt)))).toEqual({ IDEMPOTENCY_CONFLICT: 100 });
    expect(await verifyLedgerOf(projectId)).toEqual([1]);
  });
});

type Tenant = Awaited<ReturnType<typeof tenant>>;

describe('a change under load holds for every request sent after it returned', () => {
  test.each<[string, string, (subject: Tenant) => Promise<unknown>]>([
    ['a revocation', 'API_KEY_REVOKED', ({ projectId, keyId }) => revokeKey(operator.store, projectId, keyId)],
    ['a suspension', 'PROJECT_SUSPENDED', ({ projectId }) => suspendProject(operator.store, projectId)],
    ['a lower quota', 'QUOTA_EXCEEDED', ({ projectId }) => updateProject(operator.store, projectId, { quota: 10 })],
    [
      'a lower quota in shards',
      'QUOTA_EXCEEDED',
      async ({ projectId }) => {
        await updateProject(operator.store, projectId, { shards: 7 });
        await updateProject(operator.store, projectId, { quota: 10 });
      },
    ],
    [
      'a lower rate limit',
      'RATE_LIMIT_EXCEEDED',
      ({ projectId, keyId }) => updateKey(operator.store, projectId, keyId, { rpm: 10 }),
    ],
  ])('%s: none of them succeeds', async (_, code, change) => {
    const subject = await tenant(operator, FAST);
    const { before, after } = await underLoad({
      send: (n) => everyone.settle(keyedPing(subject.key, `ping-${n}`)),
      change: () => change(subject),
    });
    expect(tally(before)).toEqual({ executed: before.length });
    expect(tally(after)).toEqual({ [code]: after.length });
    await verifyLedgerOf(subject.projectId);
  });

  test('a rotation: none is dropped, with the old key within its grace or with the new one', async () => {
    const { key, keyId, projectId } = await tenant(operator, FAST);
    const keys = [key];
    const { before, meanwhile, after } = await underLoad({
      send: (n) => everyone.settle(keyedPing(keys[n % keys.length] ?? key, `ping-${n}`)),
      change: async () => {
        // By a client whose clock agrees with the gateways'.
        const store = { ...operator.store, clock: { now: () => NOW_MS } };
        keys.push((await rotateKey(store, projectId, keyId, 10 * MINUTE_MS)).key);
      },
    });
    const everyAnswer = [...before, ...meanwhile, ...after];
    expect(tally(everyAnswer)).toEqual({ executed: everyAnswer.length });
    expect(new Set(after.map(({ ping }) => ping.key)).size).toBe(2);
    expect(await verifyLedgerOf(projectId)).toEqual([everyAnswer.length]);
  });
});

/** Successes in each window, the oldest first, by the reset time of each answer. */
function successesByWindow(attempts: readonly Attempt[]): number[] {
  const counts = new Map<string, number>();
  for (const { answer } of attempts.filter(isAnswered)) {
    const reset = answer.headers['x-ratelimit-reset'] ?? '';
    counts.set(reset, (counts.get(reset) ?? 0) + (answer.status === 200 && !isReplay(answer) ? 1 : 0));
  }
  return [...counts].sort(([a], [b]) => Number(a) - Number(b)).map(([, count]) => count);
}

/** Exactly 60. On a machine so slow that the SDK repeated calls: at most 60, and fewer only by the repeated calls. */
function expectSixty(count = 0): void {
  const slow = everyone.attempts.filter(({ answer }) => !answer || answer.latencyMs > SDK_ATTEMPT_MS).length;
  expect(count).toBeLessThanOrEqual(60);
  expect(count).toBeGreaterThanOrEqual(60 - 2 * slow);
}

/** The results of pings before, during and after a change. */
interface Around<T> {
  /** Answered before the change began. */
  readonly before: readonly T[];
  /** Either result is allowed. */
  readonly meanwhile: readonly T[];
  /** Sent after the change was done. */
  readonly after: readonly T[];
}

interface Load<T> {
  /** Sends the nth ping and resolves with its result. */
  readonly send: (n: number) => Promise<T>;
  /** Runs during the load. */
  readonly change: () => Promise<unknown>;
}

const IN_FLIGHT = 24;
/** The number of pings before the change begins, and after it is done. */
const BEFORE = 48;
const AFTER = 48;

/** Makes a change while a fixed number of requests is in flight, and groups the results by time. */
async function underLoad<T>({ send, change }: Load<T>): Promise<Around<T>> {
  const around = { before: [] as T[], meanwhile: [] as T[], after: [] as T[] };
  const warm = Promise.withResolvers<undefined>();
  let phase: keyof typeof around = 'before';
  let sent = 0;
  let answered = 0;
  let toSendAfter = AFTER;
  const sender = async (): Promise<void> => {
    while (phase !== 'after' || toSendAfter-- > 0) {
      const isAfter = phase === 'after';
      const ended = await send(sent++);
      around[isAfter ? 'after' : phase === 'before' ? 'before' : 'meanwhile'].push(ended);
      if (++answered === BEFORE) warm.resolve(undefined);
    }
  };
  const senders = Promise.all(Array.from({ length: IN_FLIGHT }, sender));
  await Promise.race([warm.promise, senders]);
  phase = 'meanwhile';
  await change();
  phase = 'after';
  await senders;
  return around;
}
