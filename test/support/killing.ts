import assert from 'node:assert/strict';
import fc from 'fast-check';
import { resumeProject, suspendProject, updateProject } from '../../functions/accounts/projects/projects.ts';
import { crowd, keyedPing, tally, verdict, type Crowd, type Ping } from './crowd.ts';
import { startFleet, type Fleet } from './fleet.ts';
import { tenant } from './gateway.ts';
import { checkLedger } from './ledger-check.ts';
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
    const sender = async (isOver: () => boolean): Promise<void> => {
      while (!isOver()) await sendOne(everyone, key, sent++);
    };
    await whileBusy(Array<typeof sender>(IN_FLIGHT).fill(sender), () =>
      disturb(fleet, everyone, events, { kills, seed }),
    );

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

/**
 * Kills the processes of a fleet of three one after another, with some attempts in between, and spreads the events
 * evenly over the kills. Resolves some attempts after the last process runs again.
 */
async function disturb(
  fleet: Fleet,
  { attempts }: Crowd,
  events: readonly (() => Promise<void>)[],
  { kills, seed }: Pick<KillingOptions, 'kills' | 'seed'>,
): Promise<void> {
  const kill = fc.record({ place: fc.nat(TIMES_MS.length - 1), pause: fc.integer(PAUSE_ATTEMPTS) });
  const restarting = new Map<number, Promise<void>>();
  let played = 0;
  for (const [killed, { place, pause }] of fc.sample(kill, { seed, numRuns: kills }).entries()) {
    await restarting.get(place);
    // At least one process always serves.
    if (restarting.size === TIMES_MS.length - 1) await Promise.race(restarting.values());
    await moreThan(attempts.length + pause, attempts);
    restarting.set(
      place,
      fleet.kill(place).then(() => void restarting.delete(place)),
    );
    while (played < Math.floor(((killed + 1) * events.length) / kills)) {
      await moreThan(attempts.length + pause, attempts);
      await events[played++]?.();
    }
  }
  await Promise.all(restarting.values());
  await moreThan(attempts.length + PAUSE_ATTEMPTS.max, attempts);
}

const moreThan = (count: number, attempts: readonly unknown[]): Promise<void> => until(() => attempts.length > count);

/** Keeps some busy until an action is done, and waits until each is. The first failure is reported. */
async function whileBusy(
  workers: readonly ((isOver: () => boolean) => Promise<void>)[],
  something: () => Promise<void>,
): Promise<void> {
  let stopped = false;
  const busy = Promise.all(workers.map((work) => work(() => stopped)));
  const done = something();
  done.catch(() => undefined);
  try {
    await Promise.race([done, busy]);
  } finally {
    stopped = true;
    await Promise.allSettled([busy, done]);
  }
  await Promise.all([busy, done]);
}

/**
 * Of six pings one has no Idempotency-Key, one has a duplicate at the same time, one is repeated, and the others are
 * plain.
 */
async function sendOne(everyone: Crowd, key: string, n: number): Promise<void> {
  const ping = keyedPing(key, `ping-${n}`);
  switch (n % 6) {
    case 0:
      await everyone.send({ key, label: ping.label });
      return;
    case 1:
      await Promise.all([untilServed(everyone, ping), untilServed(everyone, ping)]);
      return;
    case 2:
      await untilServed(everyone, ping);
      assert.equal(await untilServed(everyone, ping), 'replayed');
      return;
    default:
      await untilServed(everyone, ping);
  }
}

/** Repeats a ping, even while its project is suspended. */
async function untilServed(everyone: Crowd, ping: Ping): Promise<string> {
  for (;;) {
    const { answer } = await everyone.settle(ping);
    if (answer.status === 200) return verdict(answer);
    assert.equal(verdict(answer), 'PROJECT_SUSPENDED');
  }
}
