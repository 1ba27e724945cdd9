import { HEADERS } from '../../functions/wiring.ts';
import { deviation, expectDocumented, header } from './expectations.ts';
import type { Answer } from './http-client.ts';

const SECONDS_PER = { minute: 60, day: 86_400 } as const;
/** The `Date` of a response is later than its receipt, and made by another clock. */
const CLOCK_TOLERANCE_SECONDS = 30;

/** How much of a limit is left until when. */
export interface Limit {
  readonly limit: number;
  readonly remaining: number;
  readonly remainingName: string;
  readonly resetEpochSeconds: number;
}

/** Reads headers that say how much there is, what is left and when it starts again; undefined when there are none. */
const limitReader =
  (
    names: readonly [limit: string, remaining: string, reset: string, ...string[]],
    step: 'minute' | 'day',
    most: number,
  ) =>
  (answer: Answer): Limit | undefined => {
    expectDocumented(answer, ...names);
    const missing = names.filter((name) => header(answer, name) === undefined);
    if (missing.length === names.length) return undefined;
    for (const name of missing) throw deviation(name, 'a value beside the others', undefined);
    const [limit, remaining, resetEpochSeconds] = names.map((name) => Number(header(answer, name))) as [
      number,
      number,
      number,
    ];
    if (remaining > limit) throw deviation(names[1], `at most ${limit}`, remaining);
    // On a whole minute or day, and near, so that other units than seconds show.
    const leftSeconds = untilReset(answer, resetEpochSeconds);
    const isNear =
      leftSeconds >= -CLOCK_TOLERANCE_SECONDS && leftSeconds <= most * SECONDS_PER[step] + CLOCK_TOLERANCE_SECONDS;
    if (!isNear || resetEpochSeconds % SECONDS_PER[step] !== 0) {
      throw deviation(names[2], `the end of a ${step} to come, in epoch seconds`, resetEpochSeconds);
    }
    return { limit, remaining, remainingName: names[1], resetEpochSeconds };
  };

/** Reads the rate headers. A window may stand two minutes ahead (docs/using-the-api.md, "Errors"). Throws a deviation. */
export const rateOf = limitReader([HEADERS.rateLimit, HEADERS.rateRemaining, HEADERS.rateReset], 'minute', 3);

const QUOTA_HEADERS = [HEADERS.quotaLimit, HEADERS.quotaRemaining, HEADERS.quotaReset, HEADERS.quotaMetric] as const;
/** Reads the quota headers; undefined when no quota is enforced. Throws a deviation. */
export const quotaOf = limitReader(QUOTA_HEADERS, 'day', 31);

/** Expects `Retry-After` to last until a limit's reset. */
export function expectRetryAtReset(answer: Answer, { resetEpochSeconds }: Limit): void {
  expectDocumented(answer, 'Retry-After');
  const [waitSeconds, leftSeconds] = [Number(header(answer, 'Retry-After')), untilReset(answer, resetEpochSeconds)];
  if (Math.abs(waitSeconds - leftSeconds) <= CLOCK_TOLERANCE_SECONDS) return;
  throw deviation('Retry-After', `about ${Math.round(leftSeconds)}, until the reset`, waitSeconds);
}

/** In seconds, by the server's time: this machine's own clock may be wrong. */
function untilReset(answer: Answer, resetEpochSeconds: number): number {
  const dateMs = Date.parse(header(answer, 'Date') ?? '');
  return resetEpochSeconds - (Number.isNaN(dateMs) ? Date.now() : dateMs) / 1_000;
}
