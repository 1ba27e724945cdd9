import { describe, expect, test } from '@jest/globals';
import type { Deadline } from '../../functions/shared/deadline.ts';
import { StoreBusyError, StoreUnavailableError } from '../../functions/shared/http/errors.ts';
import { AT_ONCE, NO_DEADLINE, retryConflicts } from '../../functions/shared/store/client.ts';
import { cancelled } from '../support/overtaking.ts';
import { randomFrom } from '../support/random-from.ts';
import { virtualTime } from '../support/virtual-time.ts';

/** The time for which a transaction holds its items, and the time until a conflict is reported. */
const TRANSACTION_MS = 10;
const CONFLICT_MS = 5;
const REQUEST_MS = 4_000;

const conflict = () => cancelled('TransactionConflict', 'None');

const deadlineAt = (time: ReturnType<typeof virtualTime>, atMs: number): Deadline =>
  Object.assign(new AbortController().signal, { leftMs: () => atMs - time.now() });

/** The results of requests that settle in one project at the same time: the time of each answer, or the error. */
async function burst(count: number, seed: number) {
  const time = virtualTime();
  const deadline = deadlineAt(time, REQUEST_MS);
  let held = false;
  let attempts = 0;
  const attempt = async (): Promise<number> => {
    attempts++;
    if (held) {
      await time.sleep(CONFLICT_MS);
      throw conflict();
    }
    held = true;
    await time.sleep(TRANSACTION_MS);
    held = false;
    return time.now();
  };
  const retry = { deadline, sleep: time.sleep, random: randomFrom(seed) };
  const requests = Promise.allSettled(Array.from({ length: count }, () => retryConflicts(attempt, retry)));
  await time.pass();
  return { answers: await requests, attempts };
}

const SEEDS = Array.from({ length: 20 }, (_, seed) => seed);

describe('requests that settle in one project at once', () => {
  test.each([20, 30, 60])('are all settled: %i of them', async (count) => {
    const bursts = await Promise.all(SEEDS.map((seed) => burst(count, seed)));
    const refused = bursts.flatMap(({ answers }) => answers.filter(({ status }) => status === 'rejected'));
    expect(refused).toHaveLength(0);
  });

  test('are refused as busy where they are too many, none later than one attempt before the deadline', async () => {
    const { answers } = await burst(500, 1);
    const settledMs = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
    expect(settledMs.length).toBeGreaterThan(100);
    expect(settledMs.length).toBeLessThan(answers.length);
    expect(Math.max(...settledMs)).toBeLessThanOrEqual(REQUEST_MS - 1_000 + TRANSACTION_MS);
    for (const answer of answers) {
      if (answer.status === 'rejected') expect(answer.reason).toBeInstanceOf(StoreBusyError);
    }
  });
});

describe('a write in conflict again and again', () => {
  /** A write with a conflict at each attempt, and its result. */
  async function always(deadline: (time: ReturnType<typeof virtualTime>) => Deadline, random: () => number) {
    const time = virtualTime();
    const delaysMs: number[] = [];
    let attempts = 0;
    const writing = retryConflicts(
      async () => {
        attempts++;
        await time.sleep(CONFLICT_MS);
        throw conflict();
      },
      { deadline: deadline(time), random, sleep: (ms) => (delaysMs.push(ms), time.sleep(ms)) },
    ).catch((error: unknown) => error);
    await time.pass();
    return { error: await writing, delaysMs, attempts, endedMs: time.now() };
  }

  test('is tried as long as there is time for a whole attempt, each delay anything up to a bound that doubles to 200 ms', async () => {
    const half = await always(
      (time) => deadlineAt(time, REQUEST_MS),
      () => 0.5,
    );
    expect(half.error).toBeInstanceOf(StoreBusyError);
    expect(half.delaysMs.slice(0, 7)).toEqual([5, 10, 20, 40, 80, 100, 100]);
    expect(half.attempts).toBe(half.delaysMs.length + 1);
    expect(half.endedMs).toBeLessThanOrEqual(REQUEST_MS - 1_000 + CONFLICT_MS);
    expect(half.endedMs).toBeGreaterThan(REQUEST_MS - 1_000 - 100);
  });

  test('is tried once, and never again, when the deadline is near', async () => {
    const late = await always(
      (time) => deadlineAt(time, 900),
      () => 0,
    );
    expect(late).toMatchObject({ error: expect.any(StoreBusyError), attempts: 1, delaysMs: [] });
  });

  test('is tried again when the time left is just that of a whole attempt', async () => {
    const [delayMs, attemptMs] = [5, 1_000];
    const exact = await always(
      (time) => deadlineAt(time, CONFLICT_MS + delayMs + attemptMs),
      () => 0.5,
    );
    expect(exact).toMatchObject({ attempts: 2, delaysMs: [delayMs] });
  });

  test('is given up after six attempts by those who have no deadline', async () => {
    const operator = await always(
      () => NO_DEADLINE,
      () => 0.5,
    );
    expect(operator).toMatchObject({ error: expect.any(StoreBusyError), attempts: 6, delaysMs: [5, 10, 20, 40, 80] });
  });
});

test.each([
  ['conflict', ['ThrottlingError', 'TransactionConflict'], 'others were at the same items at every attempt'],
  ['throttle', ['ThrottlingError', 'None'], 'the store throttled the last attempt'],
  ['throttle', ['ProvisionedThroughputExceeded'], 'the store throttled the last attempt'],
])('a transaction that is given up tells a %s: the last attempt met %j', async (met, codes, message) => {
  const retry = { deadline: deadlineAt(virtualTime(), 0), random: () => 0, sleep: () => Promise.resolve() };
  await expect(retryConflicts(() => Promise.reject(cancelled(...codes)), retry)).rejects.toMatchObject({
    met,
    message,
  });
});

test('a transaction that is overtaken at every attempt, each another one, tells a conflict when it is given up', async () => {
  const retry = { deadline: deadlineAt(virtualTime(), 0), random: () => 0, sleep: () => Promise.resolve() };
  const writing = retryConflicts(
    () => Promise.reject(cancelled('ConditionalCheckFailed')),
    retry,
    () => AT_ONCE,
  );
  await expect(writing).rejects.toMatchObject({ constructor: StoreBusyError, met: 'conflict' });
});

test('a deadline that ends the wait for another attempt is a store that did not answer', async () => {
  const controller = new AbortController();
  const deadline: Deadline = Object.assign(controller.signal, { leftMs: () => REQUEST_MS });
  const writing = retryConflicts(() => Promise.reject(conflict()), {
    deadline,
    random: () => 0.5,
    sleep: (_ms, signal) => {
      controller.abort();
      return Promise.reject(signal.reason as Error);
    },
  }).catch((error: unknown) => error);
  const error = await writing;
  expect(error).toBeInstanceOf(StoreUnavailableError);
  expect(error).not.toBeInstanceOf(StoreBusyError);
});
