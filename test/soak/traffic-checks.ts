import assert from 'node:assert/strict';
import type { WireAnswer } from '../support/http-client.ts';

/** So high that it is no limit. */
export const MAX_LIMIT = 1_000_000_000;

const SECONDS_PER_MINUTE = 60;

/** The limits of a key and its project; without a quota it is not enforced. */
export interface Limits {
  readonly rpm: number;
  readonly quota: number | undefined;
}

/** Throws unless an answer to an authenticated request has consistent limit headers. */
export function expectLimits({ status, headers }: WireAnswer, { rpm, quota }: Limits): void {
  const number = (name: string): number | undefined => (name in headers ? Number(headers[name]) : undefined);
  const [remaining = NaN, resetSeconds = NaN] = [number('x-ratelimit-remaining'), number('x-ratelimit-reset')];
  assert.equal(number('x-ratelimit-limit'), rpm);
  assert.ok(remaining >= 0 && remaining < rpm, `X-RateLimit-Remaining is ${remaining}`);
  const secondsLeft = resetSeconds - Date.now() / 1000;
  // The answer may have come a little after the minute's end.
  assert.ok(resetSeconds % SECONDS_PER_MINUTE === 0 && secondsLeft > -5 && secondsLeft <= SECONDS_PER_MINUTE);
  assert.equal(number('x-service-quota-limit'), quota);
  const quotaRemaining = number('x-service-quota-remaining');
  if (quota === undefined) assert.equal(quotaRemaining, undefined);
  else assert.ok(quotaRemaining !== undefined && quotaRemaining >= 0 && quotaRemaining <= quota);
  if (status === 429) assert.ok(Number(headers['retry-after']) >= 1);
}

/** Counts the successes of each window, and throws beyond the limit. */
export function windowCounter(rpm: number): (answer: WireAnswer) => void {
  const counts = new Map<string, number>();
  return ({ status, headers }) => {
    if (status !== 200) return;
    const window = headers['x-ratelimit-reset'] ?? '';
    const count = (counts.get(window) ?? 0) + 1;
    counts.set(window, count);
    assert.ok(count <= rpm, `${count} successes in one window of ${rpm}`);
  };
}
