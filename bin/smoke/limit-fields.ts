import { HEADERS } from '../../functions/wiring.ts';
import { codeOf, deviation, expectValue, header, type Received } from './expectations.ts';

/** The policy that a refusal is by. */
const REFUSED_BY: Readonly<Record<string, string>> = { RATE_LIMIT_EXCEEDED: 'minute', QUOTA_EXCEEDED: 'quota' };

/** The limits that an answer tells in its `X-` headers, by the names of their policies. */
const limitsOf = (answer: Received) =>
  [
    { name: 'minute', window: ';w=60', of: [HEADERS.rateLimit, HEADERS.rateRemaining, HEADERS.rateReset] },
    { name: 'quota', window: '', of: [HEADERS.quotaLimit, HEADERS.quotaRemaining, HEADERS.quotaReset] },
  ].flatMap(({ name, window, of }) => {
    const [limit, remaining, reset] = of.map((each) => header(answer, each));
    return limit === undefined ? [] : [{ name, window, limit, remaining, reset: Number(reset) }];
  });

/**
 * Expects in `RateLimit` and `RateLimit-Policy` what the `X-` headers beside them say: on a 429 of the policy that
 * refused alone, whose end `Retry-After` does not come before; on a 503 nothing. Throws a deviation.
 */
export function expectLimitFields(answer: Received): void {
  const refusedBy = REFUSED_BY[codeOf(answer) ?? ''];
  const told = answer.status === 503 ? [] : limitsOf(answer).filter(({ name }) => name === (refusedBy ?? name));
  const list = (items: readonly string[]) => (items.length === 0 ? undefined : items.join(', '));
  const policies = list(told.map(({ name, limit, window }) => `"${name}";q=${limit}${window}`));
  expectValue(HEADERS.limitPolicies, policies, header(answer, HEADERS.limitPolicies));

  const fields = header(answer, HEADERS.limitsLeft);
  const seconds = [...(fields ?? '').matchAll(/;t=(\d+)/g)].map(([, text]) => Number(text));
  const left = list(told.map(({ name, remaining }, i) => `"${name}";r=${remaining};t=${seconds[i] ?? '…'}`));
  expectValue(HEADERS.limitsLeft, left, fields);
  // All are counted from one moment, that of the receipt.
  const [moment, other] = new Set(told.map(({ reset }, i) => reset - (seconds[i] ?? 0)));
  if (other !== undefined) throw deviation(HEADERS.limitsLeft, `seconds from ${moment} on`, fields);
  const retryAfter = Number(header(answer, 'Retry-After') ?? 0);
  if (refusedBy !== undefined && !(retryAfter >= (seconds[0] ?? 0))) {
    throw deviation('Retry-After', `at least ${seconds[0]}, the end of "${refusedBy}"`, retryAfter);
  }
}
