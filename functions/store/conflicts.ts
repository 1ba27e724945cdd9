import { TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import type { Deadline } from '../core/deadline.ts';
import { StoreBusyError, type Busy } from '../core/errors.ts';
import { available, REQUEST_TIMEOUT_MS, storeError } from './client.ts';

/** Attempts of those who have no deadline. */
export const MAX_ATTEMPTS = 6;
const BASE_DELAY_MS = 10;
const MAX_DELAY_MS = 200;

export interface ConflictRetry {
  readonly deadline: Deadline;
  /** Resolves after a time, or rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** For those who wait for as long as {@link MAX_ATTEMPTS} take: operators. */
export const NO_DEADLINE: Deadline = Object.assign(new AbortController().signal, { leftMs: () => Infinity });

/** What a cancelled transaction says of each of its items. */
export type CancellationReasons = NonNullable<TransactionCanceledException['CancellationReasons']>;

/** What is tried again without a pause: differently, so that it need not meet the same again. */
export const AT_ONCE = Symbol('at once');

/** Reasons that go away by themselves. */
const CONFLICT = 'TransactionConflict';
const THROTTLES: ReadonlySet<string | undefined> = new Set(['ThrottlingError', 'ProvisionedThroughputExceeded']);

/**
 * Runs a transaction, or a single write that can meet one, until it is committed, refused, or there is no time for
 * another attempt. Delays have full jitter: the requests that collided must not come back together.
 *
 * No attempt begins that the deadline could cut off before its own timeout does: whether it was committed would be
 * unknown, where giving up in time says that nothing was.
 *
 * @param attempt sends it once; an ambiguous failure is the SDK's to repeat, under the same token
 * @param decide  turns the reasons of a definite cancellation into a result; undefined when they decide nothing,
 *                {@link AT_ONCE} when the next attempt is another one
 */
export async function retryConflicts<T>(
  attempt: () => Promise<T>,
  { deadline, sleep, random }: ConflictRetry,
  decide: (reasons: CancellationReasons) => T | typeof AT_ONCE | undefined = () => undefined,
): Promise<T> {
  for (let made = 1, pauses = 0; ; made++) {
    try {
      return await attempt();
    } catch (error) {
      let met: Busy | undefined = 'conflict';
      let isAtOnce = false;
      if (error instanceof TransactionCanceledException) {
        const reasons = error.CancellationReasons ?? [];
        const decision = decide(reasons);
        if (decision !== undefined && decision !== AT_ONCE) return decision;
        isAtOnce = decision === AT_ONCE;
        // One that was overtaken met others, too.
        met = busyOf(reasons) ?? (isAtOnce ? 'conflict' : undefined);
        if (met === undefined) throw error;
      } else if (!(error instanceof TransactionConflictException)) {
        throw storeError(error);
      }
      const delayMs = isAtOnce ? 0 : jitteredDelayMs(++pauses, random);
      if (isLastAttempt(made, delayMs, deadline)) throw new StoreBusyError(met, error);
      if (!isAtOnce) await available(sleep(delayMs, deadline));
    }
  }
}

/** What another attempt may no longer meet; undefined: none would help. A throttle only where nothing conflicts. */
function busyOf(reasons: CancellationReasons): Busy | undefined {
  if (reasons.some(({ Code }) => Code === CONFLICT)) return 'conflict';
  return reasons.some(({ Code }) => THROTTLES.has(Code)) ? 'throttle' : undefined;
}

const isLastAttempt = (made: number, delayMs: number, deadline: Deadline): boolean =>
  deadline === NO_DEADLINE ? made === MAX_ATTEMPTS : deadline.leftMs() < delayMs + REQUEST_TIMEOUT_MS;

/** How long to wait after an attempt, the first being 1: anything up to a bound that doubles each time. */
export const jitteredDelayMs = (made: number, random: () => number): number =>
  random() * Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (made - 1));
