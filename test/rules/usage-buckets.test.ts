import { expect, test } from '@jest/globals';
import { usageBuckets } from '../../functions/usage/sums/buckets.ts';
import { HOUR } from '../../functions/usage/sums/intervals.ts';
import { addEvent, emptyTally } from '../../functions/usage/sums/tally.ts';
import { someEvent } from '../support/usage-events.ts';

const HOUR_MS = 3_600_000;
const NINE = Date.UTC(2030, 0, 15, 9);

test('a bucket that something is missing of is shown while it is under way, and until that comes not any more', () => {
  const buckets = usageBuckets(HOUR, { sinceMs: NINE, untilMs: NINE + 2 * HOUR_MS });
  for (const startMs of [NINE, NINE + HOUR_MS, NINE + HOUR_MS]) buckets.markPending(startMs);
  addEvent(buckets.at(NINE + HOUR_MS), someEvent());
  const shownAt = (nowMs: number) => {
    const { complete, remaining, buckets: shown, total } = buckets.series(nowMs);
    return { complete, remaining, hours: shown.map(({ start }) => start.slice(11, 13)), units: total.units };
  };
  expect(shownAt(NINE + 2 * HOUR_MS - 1)).toEqual({ complete: false, remaining: 2, hours: ['10'], units: 1 });
  expect(shownAt(NINE + 2 * HOUR_MS)).toEqual({ complete: false, remaining: 2, hours: [], units: 0 });
  const one = emptyTally();
  addEvent(one, someEvent());
  for (const startMs of [NINE, NINE + HOUR_MS]) buckets.addPending(startMs, one);
  expect(shownAt(NINE + 2 * HOUR_MS)).toEqual({ complete: false, remaining: 1, hours: ['09'], units: 1 });
  buckets.addPending(NINE + HOUR_MS, one);
  expect(shownAt(NINE + 2 * HOUR_MS)).toEqual({ complete: true, remaining: 0, hours: ['09', '10'], units: 4 });
});
