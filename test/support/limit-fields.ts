import { REFUSED_BY } from '../../functions/gateway/middleware/limit-headers.ts';
import { HEADERS } from '../../functions/shared/names.ts';
import type { ReceivedResponse } from '../../local/openapi/validation.ts';

const header = ({ headers }: ReceivedResponse, name: string): string | undefined => headers[name.toLowerCase()];

function expectSame(name: string, expected: string | undefined, actual: string | undefined): void {
  if (actual !== expected) throw new Error(`${name}: expected ${expected}, got ${actual}`);
}

/**
 * The limits of units. The `X-` headers show one of them, of those that begin again: the one that refused, or the one with
 * fewer units left.
 */
function unitsIn(answer: ReceivedResponse): { readonly shown: string; readonly others: readonly string[] } {
  const field = header(answer, HEADERS.limitsLeft) ?? '';
  const found = [...field.matchAll(/"((?:key-)?quota)";r=(\d+)(;t=)?/g)].map(
    ([, name = '', left, resets]) => [name, Number(left), resets] as const,
  );
  // A simulated refusal by a limit that the project has not is in no field.
  const absent = header(answer, HEADERS.simulated) === undefined ? 'quota' : 'none';
  const resetting = found.filter(([, , resets]) => resets);
  const [[shown] = [absent]] = resetting.toSorted(([, one], [, other]) => one - other);
  return { shown, others: found.map(([name]) => name).filter((name) => name !== shown) };
}

/** A field without the items of some names; undefined: there is none left. */
const without = (field: string | undefined, others: readonly string[]): string | undefined =>
  field
    ?.split(', ')
    .filter((item) => !others.some((name) => item.startsWith(`"${name}"`)))
    .join(', ') || undefined;

/** The limits in the `X-` headers of an answer, by the names of their policies. */
const limitsOf = (answer: ReceivedResponse, shown: string) =>
  [
    { name: 'minute', window: ';w=60', of: [HEADERS.rateLimit, HEADERS.rateRemaining, HEADERS.rateReset] },
    { name: shown, window: '', of: [HEADERS.quotaLimit, HEADERS.quotaRemaining, HEADERS.quotaReset] },
  ].flatMap(({ name, window, of }) => {
    const [limit, remaining, reset] = of.map((each) => header(answer, each));
    return limit === undefined ? [] : [{ name, window, limit, remaining, reset: Number(reset) }];
  });

/**
 * Expects that `RateLimit` and `RateLimit-Policy` agree with the `X-` headers, which show one limit of units. On a 429
 * they name only the limit that refused, and `Retry-After` is not before its end. On a 503 they are absent. Throws otherwise.
 */
export function expectLimitFields(answer: ReceivedResponse): void {
  const refusedBy = REFUSED_BY[String((Object(answer.body) as { code?: unknown }).code)];
  const { shown, others } = unitsIn(answer);
  const named = answer.status === 503 ? [] : limitsOf(answer, shown).filter(({ name }) => name === (refusedBy ?? name));
  const list = (items: readonly string[]) => (items.length === 0 ? undefined : items.join(', '));
  const policies = list(named.map(({ name, limit, window }) => `"${name}";q=${limit}${window}`));
  expectSame(HEADERS.limitPolicies, policies, without(header(answer, HEADERS.limitPolicies), others));

  const fields = without(header(answer, HEADERS.limitsLeft), others);
  const seconds = [...(fields ?? '').matchAll(/;t=(\d+)/g)].map(([, text]) => Number(text));
  const left = list(named.map(({ name, remaining }, i) => `"${name}";r=${remaining};t=${seconds[i] ?? '…'}`));
  expectSame(HEADERS.limitsLeft, left, fields);
  // All are counted from one moment, that of the receipt.
  const [moment, other] = new Set(named.map(({ reset }, i) => reset - (seconds[i] ?? 0)));
  if (other !== undefined) throw new Error(`${HEADERS.limitsLeft}: expected seconds from ${moment} on, got ${fields}`);
  const retryAfter = Number(header(answer, 'Retry-After') ?? 0);
  if (refusedBy !== undefined && !(retryAfter >= (seconds[0] ?? 0))) {
    throw new Error(`Retry-After: expected at least ${seconds[0]}, the end of "${refusedBy}", got ${retryAfter}`);
  }
}
