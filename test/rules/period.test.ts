import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isKeptWhole } from '../../functions/shared/request/request-store.ts';
import { periodAt, periodOf, readQuotaPeriod } from '../../functions/shared/time.ts';
import { DAY_MS } from '../support/times.ts';

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

test('the id of a period stands for that period', () => {
  const moments = fc.date({ min: new Date('1000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(moments, fc.constantFrom('month', 'day'), (moment, length) => {
      const period = periodAt(moment.getTime(), length);
      expect(periodOf(period.id, length)).toEqual(period);
    }),
  );
});

test.each([
  ['2026-13', 'month'],
  ['2026-00', 'month'],
  ['2026-1', 'month'],
  ['2026', 'month'],
  ['2026-10-31', 'month'],
  ['0050-01', 'month'],
  ['-000001', 'month'],
  ['+010000', 'month'],
  [' 2026-10', 'month'],
  ['', 'month'],
  ['2026-10', 'day'],
  ['2026-02-29', 'day'],
  ['2026-11-31', 'day'],
  ['2026-10-31T00:00:00Z', 'day'],
] as const)('%j is no %s', (id, length) => {
  expect(periodOf(id, length)).toBeUndefined();
});

test('the setting says month or day, and a month when it is not there', () => {
  expect(['month', 'day', '', undefined].map((text) => readQuotaPeriod('QUOTA_PERIOD', text))).toEqual([
    ...['month', 'day', 'month', 'month'],
  ]);
  expect(() => readQuotaPeriod('QUOTA_PERIOD', 'week')).toThrow('QUOTA_PERIOD must be month or day.');
});

test('a period is kept whole for the days of retention from its start on, when its first event goes', () => {
  const october = periodAt(Date.UTC(2026, 9, 31), 'month');
  expect(isKeptWhole(october, 400, Date.UTC(2026, 9, 1) + 400 * DAY_MS - 1)).toBe(true);
  expect(isKeptWhole(october, 400, Date.UTC(2026, 9, 1) + 400 * DAY_MS)).toBe(false);
});
