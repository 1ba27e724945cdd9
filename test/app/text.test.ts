import { describe, expect, test } from '@jest/globals';
import { formatAgo, formatDay, formatSecond, formatSpan } from '../../portal/text/format.ts';
import { byName, nameProblem } from '../../portal/text/names.ts';
import { paceOf, percentUsed, periodSentence } from '../../portal/text/quota.ts';

const plain = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ');
const DAY_MS = 86_400_000;

test('the used part of a quota is rounded down, to the percent', () => {
  const of = (quotaUsed: number, quotaLimit: number | null) => percentUsed({ quotaLimit, quotaUsed });
  for (let used = 1; used <= 100; used++) expect(of(used, 100)).toBe(`${used}\u00a0%`);
  expect([of(632, 700), of(999, 1_000), of(99, 10_000), of(0, 10_000)]).toEqual([
    '90\u00a0%',
    '99\u00a0%',
    'under 1\u00a0%',
    '0\u00a0%',
  ]);
  expect([of(0, 0), of(12, 10), of(12, null)]).toEqual(['100\u00a0%', '100\u00a0%', '0\u00a0%']);
});

test('a length of time is shown in its largest unit, rounded down', () => {
  const spans = [-5, 59_999, 60_000, 3_599_999, 3_600_000, 2 * DAY_MS - 1, 6.9 * DAY_MS];
  expect(spans.map(formatSpan)).toEqual(['0 s', '59 s', '1 min', '59 min', '1 h', '47 h', '6 days']);
});

test.each([
  // Known to the minute: it claims no seconds.
  ['12:00:00.000', 'just now'],
  ['11:56:00.000', '4 min ago'],
  // Known to the second, as far as the clock of the page goes.
  ['12:00:59.500', 'just now'],
  ['12:00:47.000', '12 s ago'],
  ['11:56:58.123', '4 min ago'],
])('the age of %s is as exact as the time is known: %s', (clock, age) => {
  expect(formatAgo(`2026-11-22T${clock}Z`, Date.parse('2026-11-22T12:00:59.000Z'))).toBe(age);
});

test('a day is shown with its year only if that is another one, a time with its day only if that is not today', () => {
  const now = new Date(2026, 10, 22, 12).getTime();
  expect(plain(formatDay(new Date(2026, 10, 3).toISOString(), now))).toBe('3 Nov');
  expect(plain(formatDay(new Date(2025, 7, 28).toISOString(), now))).toBe('28 Aug 2025');
  expect(plain(formatSecond(new Date(2026, 10, 22, 9, 5, 7).toISOString(), now))).toBe('09:05:07');
  expect(plain(formatSecond(new Date(2026, 10, 21, 23, 41, 7).toISOString(), now))).toBe('21 Nov, 23:41:07');
});

test('names are in the order of a list that people read: by letter whatever its case, numbers by their value', () => {
  const named = ['shop 10', 'Zoo', 'shop 9', 'bus'].map((name) => ({ name }));
  expect(named.toSorted(byName).map(({ name }) => name)).toEqual(['bus', 'shop 9', 'shop 10', 'Zoo']);
});

describe('the pace of a quota', () => {
  const quota = { quotaLimit: 10_000, quotaUsed: 5_000, period: '2026-11', createdAt: '2026-01-01T00:00:00.000Z' };
  const at = (day: number, changes = {}): string => paceOf({ ...quota, ...changes }, Date.UTC(2026, 10, day));

  test('tells the day on which it is used up, where that is within the period', () => {
    expect(at(11)).toBe('Used up on 21 Nov');
  });
  test('tells that it lasts, where it does', () => {
    expect(at(16)).toBe('Lasts the month');
    expect(at(29)).toBe('Lasts the month');
  });
  test('is judged from the creation of a younger project on', () => {
    expect(at(16, { createdAt: '2026-11-15T00:00:00.000Z', quotaUsed: 2_500 })).toBe('Used up on 19 Nov');
  });
  test('is not shown without a limit, without a use, or within the first day', () => {
    expect(at(11, { quotaLimit: null })).toBe('');
    expect(at(11, { quotaUsed: 0 })).toBe('');
    expect(at(11, { createdAt: '2026-11-10T00:00:01.000Z' })).toBe('');
  });
  test('is not shown for fewer than ten units, unless they are a tenth of the quota', () => {
    expect(at(11, { quotaUsed: 9 })).toBe('');
    expect(at(11, { quotaUsed: 10 })).toBe('Lasts the month');
    expect(at(11, { quotaLimit: 20, quotaUsed: 2 })).toBe('Lasts the month');
    expect(at(11, { quotaLimit: 30, quotaUsed: 2 })).toBe('');
  });
  test('of a period of a day is shown by the hour in UTC, from 48 minutes on', () => {
    const byDay = (minutes: number, changes = {}): string =>
      paceOf({ ...quota, period: '2026-11-22', ...changes }, Date.UTC(2026, 10, 22, 0, minutes));
    expect(byDay(360)).toBe('Used up at 12:00 UTC');
    expect(byDay(360, { quotaUsed: 2_000 })).toBe('Lasts the day');
    expect(byDay(47)).toBe('');
    expect(byDay(48)).toBe('Used up at 01:36 UTC');
    expect(byDay(360, { quotaUsed: 10_000 })).toBe('Used up until 23 Nov');
  });
  test('says until when a used up one stays so', () => {
    expect(at(11, { quotaUsed: 10_000 })).toBe('Used up until 1 Dec');
    expect(at(11, { quotaLimit: 0, quotaUsed: 0 })).toBe('Used up until 1 Dec');
  });
});

test('a period is shown with its end in UTC, also over the end of a year and by days', () => {
  expect(periodSentence('2026-12')).toBe('December: the quota counts until 1 January, 00:00 UTC.');
  expect(periodSentence('2026-11-30')).toBe('30 November: the quota counts until 1 December, 00:00 UTC.');
});

test('a name is taken with 1 to 100 characters after trimming, counted as people count them, without control characters', () => {
  const names = [
    '',
    '  ',
    ' a ',
    'x'.repeat(100),
    'x'.repeat(101),
    '😀'.repeat(100),
    '😀'.repeat(101),
    'a\nb',
    '<script>',
    ' \u200b\u2060 ',
    '\u3164',
  ];
  expect(names.map((name) => nameProblem(name) === null)).toEqual([
    ...[false, false, true, true, false, true, false, false, true, false, false],
  ]);
});
