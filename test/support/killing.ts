import assert from 'node:assert/strict';
import fc from 'fast-check';
import { resumeProject, suspendProject, updateProject } from '../../functions/accounts/projects/projects.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { listUsage } from '../../functions/usage/events/log.ts';
import { assertBooks } from './books.ts';
import { crowd, tally, verdict, type Attempt, type Crowd } from './crowd.ts';
import { startFleet, type Fleet } from './fleet.ts';
import { tenant } from './gateway.ts';
import { operatorOf } from './operator.ts';
import { until } from './processes.ts';
import { MONTH_END_EPOCH_SECONDS } from './times.ts';

interface KillingOptions {
  readonly endpoint: string;
  readonly kills: number;
  /** The number of shards of the quota at first. It changes on the way. */
  readonly shards: number;
  /** Determines which process is killed when; the requests in flight are chance. */
  readonly seed: number;
}

/** The result. */
export interface KillingFigures {
  readonly kills: number;
  readonly attempts: number;
  /** Attempts without an answer. */
  readonly unanswered: number;
  /**
   * Attempts that were answered 503 and repeated: clocks more than two minutes apart move a rate window back and forth.
   */
  readonly unavailable: number;
  readonly unitsOfFirstMonth: number;
  readonly unitsOfSecondMonth: number;
}

const IN_FLIGHT = 24;
const OTHER_SHARDS = 3;
/** The least number of attempts between one event and the next. */
const PAUSE_ATTEMPTS = { min: 20, max: 60 };
const MONTH_END_MS = MONTH_END_EPOCH_SECONDS * 1000;
/** One process is in the old month and one in the new; the third one's month ends some seconds after its start. */
const TIMES_MS = [MONTH_END_MS - 90_000, MONTH_END_MS - 5_000, MONTH_END_MS + 90_000];

/**
 * Kills gateway processes with -9 under load, with clocks up to three minutes apart, during the end of a month, a
 * suspension and a change of the shards. Repeats every ping with an Idempotency-Key until it succeeds. Then throws
 * unless the ledger agrees with everything that was sent.
 */
export async function killUnderLoad({ endpoint, kills, shards, seed }: KillingOptions): Promise<KillingFigures> {
  const operator = operatorOf(endpoint);
  const fleet = await startFleet({ endpoint, timesMs: TIMES_MS });
  const everyone = crowd(fleet.urls);
  const { attempts } = everyone;
  try {
    const { key, projectId } = await tenant(operator, { rpm: 1_000_000, shards });
    const suspension = { beganAtMs: Infinity, endsAtMs: Infinity };
    const events = [
      async () => {
        await suspendProject(operator.store, projectId);
        suspension.beganAtMs = performance.now();
      },
      async () => {
        suspension.endsAtMs = performance.now();
        await resumeProject(operator.store, projectId);
      },
      async () => {
        await updateProject(operator.store, projectId, { shards: OTHER_SHARDS });
      },
    ];
    let sent = 0;
    let isOver = false;
    const senders = Array.from({ length: IN_FLIGHT }, async () => {
      while (!isOver) await sendOne(everyone, key, sent++);
    });
    const busy = Promise.all(senders);
    const done = disturb(fleet, everyone, events, { kills, seed });
    // The first failure ends all, and is reported.
    const first = Promise.race([done, busy]).finally(() => (isOver = true));
    await Promise.allSettled([first, busy, done]);
    await Promise.all([first, busy, done]);

    const { unanswered = 0, SERVICE_UNAVAILABLE: unavailable = 0, ...verdicts } = tally(attempts);
    assert.ok(unanswered > 0, 'whoever was killed had nothing to do');
    assert.deepEqual(Object.keys(verdicts).sort(), ['PROJECT_SUSPENDED', 'executed', 'replayed']);
    for (const { sentAtMs, answer, ping } of attempts) {
      const isWithin = sentAtMs > suspension.beganAtMs && sentAtMs + (answer?.latencyMs ?? 0) < suspension.endsAtMs;
      assert.ok(!isWithin || answer?.status !== 200, `${ping.label} succeeded in a suspended project`);
    }
    const units = await checkLedger(operator.store, projectId, attempts);
    assert.deepEqual(Object.keys(units).sort(), ['2030-01', '2030-02'], 'the month ended under load');
    const { '2030-01': unitsOfFirstMonth = 0, '2030-02': unitsOfSecondMonth = 0 } = units;
    return { kills, attempts: attempts.length, unanswered, unavailable, unitsOfFirstMonth, unitsOfSecondMonth };
  } finally {
    everyone.close();
    await fleet.stop();
    operator.close();
  }
}

/** Kills processes of the fleet, with some attempts in between, and spreads the events evenly over the kills. */
async function disturb(
  fleet: Fleet,
  { attempts }: Crowd,
  events: readonly (() => Promise<void>)[],
  { kills, seed }: Pick<KillingOptions, 'kills' | 'seed'>,
): Promise<void> {
  const kill = fc.record({ place: fc.nat(TIMES_MS.length - 1), pause: fc.integer(PAUSE_ATTEMPTS) });
  let played = 0;
  for (const [killed, { place, pause }] of fc.sample(kill, { seed, numRuns: kills }).entries()) {
    await moreThan(attempts.length + pause, attempts);
    await fleet.kill(place);
    while (played < Math.floor(((killed + 1) * events.length) / kills)) {
      await moreThan(attempts.length + pause, attempts);
      await events[played++]?.();
    }
  }
  await fleet.whole();
  await moreThan(attempts.length + PAUSE_ATTEMPTS.max, attempts);
}

const moreThan = (count: number, attempts: readonly unknown[]): Promise<void> => until(() => attempts.length > count);

/**
 * Of six pings one has no Idempotency-Key, one has a duplicate at the same time, one is repeated, and the others are
 * plain.
 */
async function sendOne({ send, untilServed }: Crowd, key: string, n: number): Promise<void> {
  const label = `ping-${n}`;
  if (n % 6 === 0) await send({ key, label });
  else await Promise.all(Array.from({ length: n % 6 === 1 ? 2 : 1 }, () => untilServed(key, label)));
  if (n % 6 === 2) assert.equal(await untilServed(key, label), 'replayed');
}

/**
 * Throws unless the books are right ({@link assertBooks}), each 200 has its event, of the ping that was sent, each ping
 * that was answered 200 was charged, and nothing was that nobody sent. Returns the units of each period.
 */
async function checkLedger(store: AccountStore, projectId: string, attempts: readonly Attempt[]) {
  const events = await Array.fromAsync(listUsage(store, projectId, {}));
  const answered = attempts.flatMap(({ answer }) => (answer ? [{ response: answer }] : []));
  const units = await assertBooks({ store, events: () => Promise.resolve(events) }, projectId, answered);

  const byRequestId = new Map(events.map((event) => [event.requestId, event]));
  const charged = new Set(events.flatMap((event) => (event.units > 0 ? [event.clientRequestId] : [])));
  for (const { ping, answer } of attempts) {
    if (answer?.status !== 200) continue;
    const told = byRequestId.get(String(answer.body.requestId));
    const expected = verdict(answer) === 'replayed' ? ['idempotency_replay', 0] : ['request_succeeded', 1];
    assert.deepEqual([told?.event, told?.units, told?.clientRequestId], [...expected, ping.label]);
    assert.ok(charged.has(ping.label), `not charged: ${ping.label}`);
  }
  const sent = new Set<string | null>(attempts.map(({ ping }) => ping.label));
  assert.ok(
    [...charged].every((label) => sent.has(label)),
    'charged for what nobody sent',
  );
  return units;
}
