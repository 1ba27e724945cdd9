import { ping as operation } from '../../functions/operations/ping.ts';
import { HEADERS } from '../../functions/wiring.ts';
import { deviation, Ending, expectDocumented, expectValue, header, membersOf, type Answer } from './expectations.ts';
import type { Exchange, Run } from './run.ts';

/** Makes the checks that look at all answers of a run. */
export async function checkAnswers(run: Run): Promise<void> {
  // A rate counts every authenticated request, whatever becomes of it; a quota a success alone.
  await checkLimit(run, 'rate', rateOf, () => 1);
  await checkLimit(run, 'quota', quotaOf, unitsOf);
  await run.check('request ids', () => {
    const seen = new Set<string | undefined>();
    lookAt(run.relied(), (answer) => {
      expectDocumented(answer, HEADERS.requestId);
      const requestId = header(answer, HEADERS.requestId);
      if (answer.text !== '') expectValue('body.requestId', requestId, membersOf(answer).requestId);
      if (seen.has(requestId)) throw deviation(HEADERS.requestId, 'a new one', requestId);
      seen.add(requestId);
    });
    return `${seen.size} answers, each with its own`;
  });
  await run.check('no caching', () => {
    lookAt(run.relied(), (answer) => expectDocumented(answer, 'Cache-Control'));
    return 'Cache-Control: no-store on all of them';
  });
}

/** Every answer to a request with a key says what is left, and that falls by what each request costs. */
const checkLimit = (
  { check, relied, exchanges }: Run,
  name: 'rate' | 'quota',
  limitOf: (answer: Answer) => Limit | undefined,
  costOf: (answer: Answer) => number,
): Promise<void> =>
  check(name, () => {
    const sent = relied().filter(({ caller }) => caller !== undefined);
    if (sent.length === 0) throw new Ending('skip', 'no request with the key was answered as expected');
    const limits = new Map(lookAt(sent, limitOf).map((limit, index) => [sent[index], limit]));
    const bare = sent.find((exchange) => !limits.get(exchange));
    const enforced = sent.find((exchange) => exchange.caller === bare?.caller && limits.get(exchange));
    if (bare && enforced) throw deviation(bare.check, `${name} headers as on "${enforced.check}"`, undefined);
    if (bare) throw new Ending('note', `no ${name} is enforced for the key's project`);

    const ofKey = exchanges.filter(({ caller }) => caller === 'key');
    const compared = ofKey.filter((exchange, index) => {
      const [before, after] = [limits.get(ofKey[index - 1]), limits.get(exchange)];
      // A new window or period may begin at any time.
      if (!before || after?.resetEpochSeconds !== before.resetEpochSeconds) return false;
      expectValue(`${exchange.check}: ${name} left`, before.remaining - costOf(exchange.answer), after.remaining);
      return true;
    });
    return `told on ${sent.length} answers, and right on ${compared.length} that can be compared`;
  });

/** Looks at what checks had asked for: a deviation then begins with the check's name. */
const lookAt = <T>(sent: readonly Exchange[], look: (answer: Answer) => T): T[] =>
  sent.map(({ check, answer }) => {
    try {
      return look(answer);
    } catch (error) {
      throw error instanceof Ending ? new Ending(error.status, `${check}: ${error.message}`) : error;
    }
  });

/** The `Date` of a response is later than its receipt, and made by another clock. */
const CLOCK_TOLERANCE_SECONDS = 30;

/** How much of a limit is left until when. */
interface Limit {
  readonly remaining: number;
  readonly resetEpochSeconds: number;
  /** By the server's time: this machine's own clock may be wrong. */
  readonly leftSeconds: number;
}

/**
 * Reads what an answer says of a limit that starts again with a new minute or day of UTC, within so many seconds;
 * undefined when it says nothing. Throws a deviation.
 */
const limitReader =
  (names: readonly [limit: string, remaining: string, reset: string, ...string[]], step: number, most: number) =>
  (answer: Answer): Limit | undefined => {
    expectDocumented(answer, ...names);
    const missing = names.filter((name) => header(answer, name) === undefined);
    if (missing.length === names.length) return undefined;
    for (const name of missing) throw deviation(name, 'a value beside the others', undefined);
    const [limit = NaN, remaining = NaN, resetEpochSeconds = NaN] = names.map((name) => Number(header(answer, name)));
    if (remaining > limit) throw deviation(names[1], `at most ${limit}`, remaining);
    // At a whole minute or day, and near, so that other units than seconds show.
    const leftSeconds = resetEpochSeconds - (Date.parse(header(answer, 'Date') ?? '') || Date.now()) / 1_000;
    const isNear = leftSeconds >= -CLOCK_TOLERANCE_SECONDS && leftSeconds <= most + CLOCK_TOLERANCE_SECONDS;
    if (isNear && resetEpochSeconds % step === 0) return { remaining, resetEpochSeconds, leftSeconds };
    throw deviation(names[2], `epoch seconds, ${most} ahead at most`, resetEpochSeconds);
  };

/** A window may stand two minutes ahead (docs/using-the-api.md, "Errors"). */
const rateOf = limitReader([HEADERS.rateLimit, HEADERS.rateRemaining, HEADERS.rateReset], 60, 180);
const { quotaLimit, quotaRemaining, quotaReset, quotaMetric } = HEADERS;
const quotaOf = limitReader([quotaLimit, quotaRemaining, quotaReset, quotaMetric], 86_400, 31 * 86_400);

/** What an answer to a ping has cost of the quota. */
export const unitsOf = (answer: Answer): number =>
  answer.status === 200 && header(answer, HEADERS.idempotencyReplayed) !== 'true' ? operation.units : 0;

/** Expects the refusal of a quota that is used up: none is left, and `Retry-After` lasts until the reset. */
export function expectUsedUp(answer: Answer): void {
  expectDocumented(answer, 'Retry-After');
  const quota = quotaOf(answer);
  expectValue(HEADERS.quotaRemaining, 0, quota?.remaining);
  const [waitSeconds, leftSeconds] = [Number(header(answer, 'Retry-After')), quota?.leftSeconds ?? NaN];
  if (Math.abs(waitSeconds - leftSeconds) <= CLOCK_TOLERANCE_SECONDS) return;
  throw deviation('Retry-After', `about ${Math.round(leftSeconds)}, until the reset`, waitSeconds);
}
