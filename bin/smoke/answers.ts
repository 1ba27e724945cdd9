import { ping as operation } from '../../functions/gateway/operations/ping.ts';
import { ERROR_DOCS_PATH, HEADERS } from '../../functions/shared/names.ts';
import {
  codeOf,
  deviation,
  Ending,
  expectDocumented,
  expectHeader,
  expectValue,
  header,
  membersOf,
  type Answer,
  type Received,
} from './expectations.ts';
import type { Run } from './run.ts';
import { REFUSED_BY } from '../../functions/gateway/middleware/limit-headers.ts';

/** Runs the checks that use all answers of a run. */
export async function checkAnswers(run: Run): Promise<void> {
  // The rate counts every authenticated request; the quota counts only successes.
  await checkLimit(run, 'rate', rateOf, () => 1);
  await checkLimit(run, 'quota', quotaOf, unitsOf);
  const limitFields = (): string => {
    const named = [...extractFrom(run.relied(), expectLimitFields).keys()].filter(
      (one) => one && header(one, HEADERS.limitsLeft),
    );
    return `as the other headers say, on ${named.length} answers`;
  };
  await run.check('limits of the draft', limitFields, 'rate', 'quota');
  await run.check('help', () => {
    const problems = run.relied().filter((answer) => codeOf(answer) !== undefined);
    const portals = new Set(extractFrom(problems, helpOf).values());
    // All are of one stage, which knows one portal or none.
    const [portal, other] = portals;
    if (portals.size > 1) throw deviation('Link', `one to ${portal ?? 'no portal'} as on others`, other);
    return portal === undefined ? 'no portal is known' : `${problems.length} problems lead to ${portal}`;
  });
  await run.check('request ids', () => {
    const seen = new Set<string | undefined>();
    extractFrom(run.relied(), (answer) => {
      expectDocumented(answer, HEADERS.requestId);
      const requestId = header(answer, HEADERS.requestId);
      if (answer.text !== '') expectValue('body.requestId', requestId, membersOf(answer).requestId);
      if (seen.has(requestId)) throw deviation(HEADERS.requestId, 'a new one', requestId);
      seen.add(requestId);
    });
    return `${seen.size} answers, each with its own`;
  });
  await run.check('no caching', () => {
    extractFrom(run.relied(), (answer) => expectDocumented(answer, 'Cache-Control'));
    return 'Cache-Control: no-store on all of them';
  });
}

/** Every answer to a request with a key shows what is left, which falls by the cost of each request. */
const checkLimit = (run: Run, name: string, limitOf: typeof rateOf, costOf: (answer: Answer) => number) =>
  run.check(name, () => {
    const sent = run.relied().filter(({ caller }) => caller !== undefined);
    if (sent.length === 0) throw new Ending('skip', 'no request with the key was answered as expected');
    const limits = extractFrom(sent, limitOf);
    const bare = sent.find((answer) => !limits.get(answer));
    const enforced = sent.find((answer) => answer.caller === bare?.caller && limits.get(answer));
    if (bare && enforced) throw deviation(bare.check, `${name} headers as on "${enforced.check}"`, undefined);
    if (bare) throw new Ending('note', `no ${name} is enforced for the key's project`);

    const ofKey = run.answers.filter(({ caller }) => caller === 'key');
    const compared = ofKey.filter((answer, index) => {
      const [before, after] = [limits.get(ofKey[index - 1]), limits.get(answer)];
      // A new window or period may begin at any time.
      if (!before || after?.resetEpochSeconds !== before.resetEpochSeconds) return false;
      expectValue(`${answer.check}: ${name} left`, before.remaining - costOf(answer), after.remaining);
      return true;
    });
    return `told on ${sent.length} answers, and right on ${compared.length} that can be compared`;
  });

/** The portal whose page on its code a problem leads to; undefined: it leads nowhere. Throws a deviation. */
function helpOf(answer: Answer): string | undefined {
  expectDocumented(answer, 'Link');
  const link = header(answer, 'Link');
  const [, portal = ''] = /^<(https?:\/\/[^/]+)\//.exec(link ?? '') ?? [];
  if (link !== undefined) expectHeader(answer, 'Link', `<${portal}${ERROR_DOCS_PATH}#${codeOf(answer)}>; rel="help"`);
  return link === undefined ? undefined : portal;
}

/** Checks answers to earlier checks: a deviation then begins with the check's name. */
function extractFrom<T>(answers: readonly Answer[], look: (answer: Answer) => T) {
  const entries = answers.map((answer): [Answer | undefined, T] => {
    try {
      return [answer, look(answer)];
    } catch (error) {
      throw error instanceof Ending ? new Ending(error.status, `${answer.check}: ${error.message}`) : error;
    }
  });
  return new Map(entries);
}

/** The `Date` of a response is later than the receipt, and from another clock. */
const CLOCK_TOLERANCE_SECONDS = 30;

/**
 * Reads the limit in an answer that starts again with a UTC minute or day: how much is left until when; undefined: it
 * has none. Throws a deviation.
 */
const limitReader =
  (names: readonly [limit: string, remaining: string, reset: string, ...string[]], step: number, most: number) =>
  (answer: Answer) => {
    expectDocumented(answer, ...names);
    const missing = names.filter((name) => header(answer, name) === undefined);
    if (missing.length === names.length) return undefined;
    for (const name of missing) throw deviation(name, 'a value beside the others', undefined);
    const [limit = NaN, remaining = NaN, resetEpochSeconds = NaN] = names.map((name) => Number(header(answer, name)));
    if (remaining > limit) throw deviation(names[1], `at most ${limit}`, remaining);
    // By the server's time: this machine's own clock may be wrong.
    const leftSeconds = resetEpochSeconds - (Date.parse(header(answer, 'Date') ?? '') || Date.now()) / 1_000;
    // At a whole minute or day, and near, so that a wrong unit is noticed.
    const isNear = leftSeconds >= -CLOCK_TOLERANCE_SECONDS && leftSeconds <= most + CLOCK_TOLERANCE_SECONDS;
    if (isNear && resetEpochSeconds % step === 0) return { remaining, resetEpochSeconds, leftSeconds };
    throw deviation(names[2], `epoch seconds, ${most} ahead at most`, resetEpochSeconds);
  };

/** A window may be two minutes ahead (docs/api/errors.md). */
const rateOf = limitReader([HEADERS.rateLimit, HEADERS.rateRemaining, HEADERS.rateReset], 60, 180);
const { quotaLimit, quotaRemaining, quotaReset, quotaMetric } = HEADERS;
const quotaOf = limitReader([quotaLimit, quotaRemaining, quotaReset, quotaMetric], 86_400, 31 * 86_400);

/** The units that a ping has cost. */
export const unitsOf = (answer: Answer): number =>
  answer.status === 200 && header(answer, HEADERS.idempotencyReplayed) !== 'true' ? operation.units : 0;

const CHALLENGE = 'WWW-Authenticate';
/** The name that API Gateway may give it (docs/api/errors.md, "Answers that are not the gateway's"). */
const REMAPPED_CHALLENGE = 'x-amzn-remapped-www-authenticate';

/** Expects the challenge of a 401 (RFC 6750, section 3); without a key it names no error. */
export function expectChallenge({ relied }: Run): string {
  const answers = relied().filter(({ check }) => check === 'no key' || check === 'unknown key');
  extractFrom(answers, (answer) => {
    const expected = `Bearer realm="sandbox-gateway"${answer.check === 'no key' ? '' : ', error="invalid_token"'}`;
    expectValue(CHALLENGE, expected, header(answer, CHALLENGE) ?? header(answer, REMAPPED_CHALLENGE));
  });
  if (answers.every((answer) => header(answer, CHALLENGE) !== undefined)) return CHALLENGE;
  throw new Ending('note', `${CHALLENGE} is renamed to ${REMAPPED_CHALLENGE}, as API Gateway may do`);
}

/** Expects the refusal of a used-up quota: none is left, and `Retry-After` lasts until the reset. */
export function expectUsedUp(answer: Answer): void {
  expectDocumented(answer, 'Retry-After');
  const quota = quotaOf(answer);
  expectValue(HEADERS.quotaRemaining, 0, quota?.remaining);
  const [waitSeconds, leftSeconds] = [Number(header(answer, 'Retry-After')), quota?.leftSeconds ?? NaN];
  if (Math.abs(waitSeconds - leftSeconds) <= CLOCK_TOLERANCE_SECONDS) return;
  throw deviation('Retry-After', `about ${Math.round(leftSeconds)}, until the reset`, waitSeconds);
}

/** The limits of units. The `X-` headers show one of them: the one that refused, or the one with fewer units left. */
function unitsIn(answer: Received): { readonly shown: string; readonly others: readonly string[] } {
  const field = header(answer, HEADERS.limitsLeft) ?? '';
  const found = [...field.matchAll(/"((?:key-)?quota)";r=(\d+)/g)].map(
    ([, name = '', left]) => [name, Number(left)] as const,
  );
  // A simulated refusal by a limit that the project has not is in no field.
  const absent = header(answer, HEADERS.simulated) === undefined ? 'quota' : 'none';
  const [[shown] = [absent]] = found.toSorted(([, one], [, other]) => one - other);
  return { shown, others: found.map(([name]) => name).filter((name) => name !== shown) };
}

/** A field without the items of some names; undefined: there is none left. */
const without = (field: string | undefined, others: readonly string[]): string | undefined =>
  field
    ?.split(', ')
    .filter((item) => !others.some((name) => item.startsWith(`"${name}"`)))
    .join(', ') || undefined;

/** The limits in the `X-` headers of an answer, by the names of their policies. */
const limitsOf = (answer: Received, shown: string) =>
  [
    { name: 'minute', window: ';w=60', of: [HEADERS.rateLimit, HEADERS.rateRemaining, HEADERS.rateReset] },
    { name: shown, window: '', of: [HEADERS.quotaLimit, HEADERS.quotaRemaining, HEADERS.quotaReset] },
  ].flatMap(({ name, window, of }) => {
    const [limit, remaining, reset] = of.map((each) => header(answer, each));
    return limit === undefined ? [] : [{ name, window, limit, remaining, reset: Number(reset) }];
  });

/**
 * Expects that `RateLimit` and `RateLimit-Policy` agree with the `X-` headers, which show one limit of units. On a 429
 * they name only the limit that refused, and `Retry-After` is not before its end. On a 503 they are absent. Throws a
 * deviation.
 */
export function expectLimitFields(answer: Received): void {
  const refusedBy = REFUSED_BY[codeOf(answer) ?? ''];
  const { shown, others } = unitsIn(answer);
  const named = answer.status === 503 ? [] : limitsOf(answer, shown).filter(({ name }) => name === (refusedBy ?? name));
  const list = (items: readonly string[]) => (items.length === 0 ? undefined : items.join(', '));
  const policies = list(named.map(({ name, limit, window }) => `"${name}";q=${limit}${window}`));
  expectValue(HEADERS.limitPolicies, policies, without(header(answer, HEADERS.limitPolicies), others));

  const fields = without(header(answer, HEADERS.limitsLeft), others);
  const seconds = [...(fields ?? '').matchAll(/;t=(\d+)/g)].map(([, text]) => Number(text));
  const left = list(named.map(({ name, remaining }, i) => `"${name}";r=${remaining};t=${seconds[i] ?? '…'}`));
  expectValue(HEADERS.limitsLeft, left, fields);
  // All are counted from one moment, that of the receipt.
  const [moment, other] = new Set(named.map(({ reset }, i) => reset - (seconds[i] ?? 0)));
  if (other !== undefined) throw deviation(HEADERS.limitsLeft, `seconds from ${moment} on`, fields);
  const retryAfter = Number(header(answer, 'Retry-After') ?? 0);
  if (refusedBy !== undefined && !(retryAfter >= (seconds[0] ?? 0))) {
    throw deviation('Retry-After', `at least ${seconds[0]}, the end of "${refusedBy}"`, retryAfter);
  }
}
