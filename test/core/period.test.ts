import { expect, test } from '@jest/globals';
import { periodAt } from '../../functions/core/period.ts';

test.each([
  ['2028-02-29T23:59:59.999Z', 'month', '2028-02', '2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z'],
  ['2026-12-31T23:59:59.999Z', 'month', '2026-12', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'],
  ['2027-01-01T00:00:00.000Z', 'month', '2027-01', '2027-01-01T00:00:00Z', '2027-02-01T00:00:00Z'],
  ['2026-12-31T23:59:59.999Z', 'day', '2026-12-31', '2026-12-31T00:00:00Z', '2027-01-01T00:00:00Z'],
  ['2028-02-29T00:00:00.000Z', 'day', '2028-02-29', '2028-02-29T00:00:00Z', '2028-03-01T00:00:00Z'],
] as const)('%s is in the %s %s', (moment, length, id, start, end) => {
  expect(periodAt(Date.parse(moment), length)).toEqual({
    id,
    startsAtMs: Date.parse(start),
    endsAtEpochSeconds: Date.parse(end) / 1_000,
  });
});
