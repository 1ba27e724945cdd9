import { HEADERS } from '../../functions/wiring.ts';
import { deviation, expectHeader, header, shown, WHOLE_NUMBER } from './expectations.ts';
import type { Answer } from './http-client.ts';

const SECONDS_PER_MINUTE = 60;
const SECONDS_PER_DAY = 86_400;
/** A rate window may stand two minutes ahead of the clock that answers (docs/using-the-api.md, "Errors"). */
const MAX_RATE_RESET_SECONDS = 3 * SECONDS_PER_MINUTE;
const MAX_QUOTA_RESET_SECONDS = 31 * SECONDS_PER_DAY;
/** The `Date` of a response is later than its receipt, and made by another clock. */
const CLOCK_TOLERANCE_SECONDS = 30;
const QUOTA_METRIC = 'request_units';
const QUOTA_HEADERS = [HEADERS.quotaLimit, HEADERS.quotaRemaining, HEADERS.quotaReset, HEADERS.quotaMetric];

/** How much of a limit is left until when. */
export interface Limit {
  readonly limit: number;
  readonly remaining: number;
  readonly resetEpochSeconds: number;
}

/** Reads the rate headers. Throws a deviation unless they are well-formed. */
export function rateOf(answer: Answer): Limit {
  const limit = readLimit(answer, HEADERS.rateLimit, HEADERS.rateRemaining, HEADERS.rateReset);
  expectReset(answer, HEADERS.rateReset, limit, SECONDS_PER_MINUTE, MAX_RATE_RESET_SECONDS);
  return limit;
}

/** Reads the quota headers; undefined when there are none of them. Throws a deviation unless they are well-formed. */
export function quotaOf(answer: Answer): Limit | undefined {
  if (QUOTA_HEADERS.every((name) => header(answer, name) === undefined)) return undefined;
  const limit = readLimit(answer, HEADERS.quotaLimit, HEADERS.quotaRemaining, HEADERS.quotaReset);
  expectReset(answer, HEADERS.quotaReset, limit, SECONDS_PER_DAY, MAX_QUOTA_RESET_SECONDS);
  expectHeader(answer, HEADERS.quotaMetric, QUOTA_METRIC);
  return limit;
}

/** Expects `Retry-After` to last until a limit's reset. */
export function expectRetryAt(answer: Answer, resetEpochSeconds: number): void {
  expectHeader(answer, 'Retry-After', WHOLE_NUMBER);
  const retryAfterSeconds = Number(header(answer, 'Retry-After'));
  const untilResetSeconds = Math.round(resetEpochSeconds - dateEpochSeconds(answer));
  if (Math.abs(retryAfterSeconds - untilResetSeconds) > CLOCK_TOLERANCE_SECONDS) {
    throw deviation('Retry-After', `about ${untilResetSeconds}, until the reset`, shown(retryAfterSeconds));
  }
}

function readLimit(answer: Answer, limitName: string, remainingName: string, resetName: string): Limit {
  const read = (name: string): number => {
    expectHeader(answer, name, WHOLE_NUMBER);
    return Number(header(answer, name));
  };
  const [limit, remaining, resetEpochSeconds] = [read(limitName), read(remainingName), read(resetName)];
  if (remaining > limit) throw deviation(remainingName, `at most ${limit}`, shown(remaining));
  return { limit, remaining, resetEpochSeconds };
}

/** A window ends on a whole minute, a period on a whole day; both are near, so that other units than seconds show. */
function expectReset(answer: Answer, name: string, limit: Limit, stepSeconds: number, mostSeconds: number): void {
  const aheadSeconds = limit.resetEpochSeconds - dateEpochSeconds(answer);
  const isNear = aheadSeconds >= -CLOCK_TOLERANCE_SECONDS && aheadSeconds <= mostSeconds + CLOCK_TOLERANCE_SECONDS;
  if (limit.resetEpochSeconds % stepSeconds !== 0 || !isNear) {
    const end = stepSeconds === SECONDS_PER_DAY ? 'day' : 'minute';
    throw deviation(name, `the end of a ${end} to come, in epoch seconds`, shown(limit.resetEpochSeconds));
  }
}

/** The server's time: this machine's own clock may be wrong. */
function dateEpochSeconds(answer: Answer): number {
  const dateMs = Date.parse(header(answer, 'Date') ?? '');
  return (Number.isNaN(dateMs) ? Date.now() : dateMs) / 1_000;
}
