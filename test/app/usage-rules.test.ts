import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { PLAIN_VIEW, searchOf, viewOf, type UsageView } from '../../portal/usage/address.ts';
import {
  formatShare,
  outcomesInWords,
  progressOf,
  refusedShare,
  summaryOfOutcomes,
} from '../../portal/usage/figures.ts';
import { labelledPlaces, labelsOf } from '../../portal/usage/labels.ts';
import { courseOf } from '../../portal/usage/quota-course.ts';
import { endOf, RANGES, slotsOf, spanOf, withEmptyBuckets } from '../../portal/usage/ranges.ts';
import { OUTCOMES } from '../../portal/requests/outcomes.ts';

const plain = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ');
const NOW = Date.parse('2026-11-22T10:07:30.000Z');
const FIGURES = { units: 0, p50LatencyMs: null, p95LatencyMs: null, chargedOnly: false };

describe('a range', () => {
  test('ends with the bucket that is under way, and has as many as its name says', () => {
    expect(spanOf('1h', '2026-11', NOW)).toEqual({ since: '2026-11-22T09:10:00.000Z', by: '5min' });
    expect(spanOf('24h', '2026-11', NOW)).toEqual({ since: '2026-11-21T11:00:00.000Z', by: 'hour' });
    expect(spanOf('7d', '2026-11', NOW)).toEqual({ since: '2026-11-16T00:00:00.000Z', by: 'day' });
    expect(spanOf('30d', '2026-11', NOW)).toEqual({ since: '2026-10-24T00:00:00.000Z', by: 'day' });
  });
  test('of the period begins where the quota does: a month by days, a day by hours', () => {
    expect(spanOf('period', '2026-11', NOW)).toEqual({ since: '2026-11-01T00:00:00.000Z', by: 'day' });
    expect(spanOf('period', '2026-11-22', NOW)).toEqual({ since: '2026-11-22T00:00:00.000Z', by: 'hour' });
  });
  test('has a place for every bucket, for those too that are not summed yet', () => {
    const bucket = { start: '2026-11-22T09:00:00.000Z', units: 3 };
    const usage = {
      since: '2026-11-22T08:00:00.000Z',
      until: '2026-11-22T11:00:00.000Z',
      by: 'hour',
      buckets: [bucket],
    } as const;
    expect(slotsOf(usage)).toEqual([
      { start: '2026-11-22T08:00:00.000Z', bucket: undefined },
      { start: '2026-11-22T09:00:00.000Z', bucket },
      { start: '2026-11-22T10:00:00.000Z', bucket: undefined },
    ]);
    const total = { ...FIGURES, requests: 0, outcomes: {} };
    const answer = { ...usage, buckets: [], complete: false, remaining: 2, total };
    expect(progressOf(answer)).toEqual({ ready: 1, of: 3 });
  });
  test('has zeros where the answer leaves a bucket out, once all are summed', () => {
    const total = { ...FIGURES, requests: 3, outcomes: {} };
    const bucket = { start: '2026-11-22T09:00:00.000Z', ...total };
    const answer = {
      since: '2026-11-22T08:00:00.000Z',
      until: '2026-11-22T11:00:00.000Z',
      by: 'hour',
      complete: false,
      remaining: 1,
      total,
    } as const;
    expect(withEmptyBuckets({ ...answer, buckets: [bucket] }).buckets).toEqual([bucket]);
    const { buckets } = withEmptyBuckets({ ...answer, buckets: [bucket], complete: true, remaining: 0 });
    expect(buckets.map(({ start, requests }) => [start.slice(11, 13), requests])).toEqual([
      ['08', 0],
      ['09', 3],
      ['10', 0],
    ]);
  });
});

describe('a bucket is named', () => {
  test('by the time of day of the reader, where hours are half an hour off UTC too', () => {
    const { tick, whole, zone } = labelsOf('hour', 'Asia/Kolkata');
    expect(tick('2026-11-21T18:00:00.000Z')).toBe('23:30');
    expect(whole('2026-11-21T18:00:00.000Z')).toBe('Sat 21 Nov, 23:30 to 00:30');
    expect(zone).toMatch(/^Times are those of your time zone, Asia\/(Kolkata|Calcutta)\.$/);
  });
  test('by the day of UTC, wherever the reader is', () => {
    const { tick, whole, zone } = labelsOf('day', 'Pacific/Kiritimati');
    expect([tick('2026-11-21T00:00:00.000Z'), whole('2026-11-21T00:00:00.000Z')]).toEqual([
      '21 Nov',
      'Sat 21 Nov, UTC',
    ]);
    expect(zone).toContain('UTC');
  });
  test('of five minutes by their beginning and end', () => {
    expect(labelsOf('5min', 'UTC').whole('2026-11-21T23:55:00.000Z')).toBe('Sat 21 Nov, 23:55 to 00:00');
    expect(endOf('2026-11-21T23:55:00.000Z', '5min')).toBe('2026-11-22T00:00:00.000Z');
  });
  test('at as many places as there is room for', () => {
    expect(labelledPlaces(24, 50, 40)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22]);
    expect(labelledPlaces(7, 50, 140)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(labelledPlaces(0, 50, Infinity)).toEqual([]);
  });
});

describe('figures', () => {
  test('a replay is no refusal; the share of no request is none', () => {
    const outcomes = { request_succeeded: 80, idempotency_replay: 12, rate_limit_rejected: 8 };
    expect(refusedShare({ requests: 100, outcomes })).toBeCloseTo(0.08);
    expect(refusedShare({ requests: 0, outcomes: {} })).toBeUndefined();
  });
  test('a simulation is no refusal and no request of the share, and has its own words', () => {
    const outcomes = { request_succeeded: 9, quota_rejected: 1, simulated: 90 };
    expect(refusedShare({ requests: 100, outcomes })).toBeCloseTo(0.1);
    expect(refusedShare({ requests: 90, outcomes: { simulated: 90 } })).toBeUndefined();
    expect(outcomesInWords({ requests: 100, outcomes })).toBe(
      '100 requests: 9 succeeded, 1 quota used up, 90 simulated',
    );
  });
  test('something is never shown as nothing, nor as all', () => {
    expect([0, 0.000_1, 0.04, 0.077, 0.999_9, 1].map(formatShare)).toEqual([
      '0\u00a0%',
      '< 0.1\u00a0%',
      '4\u00a0%',
      '7.7\u00a0%',
      '> 99.9\u00a0%',
      '100\u00a0%',
    ]);
  });
  test('a chart is described in words: its total, and where it is highest', () => {
    const bucket = (start: string, requests: number) => ({ ...FIGURES, start, requests, outcomes: {} });
    const summary = summaryOfOutcomes(
      {
        since: '2026-11-20T00:00:00.000Z',
        until: '2026-11-22T00:00:00.000Z',
        by: 'day',
        complete: true,
        remaining: 0,
        buckets: [bucket('2026-11-20T00:00:00.000Z', 1_200), bucket('2026-11-21T00:00:00.000Z', 3)],
        total: { ...FIGURES, requests: 1_203, outcomes: { request_succeeded: 1_200, quota_rejected: 3 } },
      },
      'the last 7 days',
      labelsOf('day'),
    );
    expect(plain(summary)).toBe(
      'Requests by outcome in the last 7 days: 1,203 requests: 1,200 succeeded, 3 quota used up. ' +
        'Most in Fri 20 Nov, UTC: 1,200.',
    );
    expect(outcomesInWords({ requests: 0, outcomes: {} })).toBe('no request');
  });
});

describe('the course of a quota', () => {
  const quota = { quotaLimit: 300, quotaUsed: 100, period: '2026-11', createdAt: '2026-01-01T00:00:00.000Z' };
  const day = (date: number, units: number) => ({
    start: `2026-11-${String(date).padStart(2, '0')}T00:00:00.000Z`,
    units,
  });
  const usage = { since: '2026-11-01T00:00:00.000Z', by: 'day', buckets: [day(1, 40), day(2, 0), day(3, 60)] } as const;
  const at = Date.parse('2026-11-04T00:00:00.000Z');

  test('adds up, day by day, and leaves to come what is to come', () => {
    const { slots } = courseOf(quota, usage, at);
    expect(slots).toHaveLength(30);
    expect(slots.slice(0, 5).map(({ bucket }) => bucket?.used)).toEqual([40, 40, 100, 100, undefined]);
  });
  test('continues at the rate so far', () => {
    // 100 units in three days are 1,000 in thirty.
    expect(courseOf(quota, usage, at).expected).toBeCloseTo(1_000);
    expect(courseOf({ ...quota, quotaLimit: null }, usage, at).expected).toBeUndefined();
    expect(courseOf({ ...quota, quotaUsed: 300 }, usage, at).expected).toBeUndefined();
  });
});

describe('the address of a view', () => {
  const time = fc.date({ min: new Date('2020-01-01'), max: new Date('2040-01-01'), noInvalidDate: true });
  const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
  const views: fc.Arbitrary<UsageView> = fc
    .record({
      range: fc.constantFrom(...RANGES.map(([range]) => range)),
      tables: fc.subarray(['outcomes', 'latency', 'quota'] as const),
      keyId: optional(fc.stringMatching(/^key_[0-9A-Za-z]{16}$/)),
      event: optional(fc.constantFrom(...OUTCOMES.map(({ event }) => event))),
      code: optional(fc.stringMatching(/^[A-Z_]{1,64}$/)),
      clientRequestId: optional(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })),
      times: fc.uniqueArray(time, { minLength: 2, maxLength: 2, selector: Number }),
      isLive: fc.boolean(),
      requestId: optional(fc.uuid()),
    })
    .map(({ times, ...view }) => {
      const [since, until] = times.map((date) => date.toISOString()).sort();
      return { ...view, since, until };
    });

  test('leads to that view again', () => {
    fc.assert(fc.property(views, (view) => expect(viewOf(searchOf(view))).toEqual(view)));
  });
  test('leaves out what is not valid', () => {
    const search =
      '?range=1y&key=key_1&event=other&code=a-b&since=yesterday&until=2026-13-01T00:00:00Z&live=maybe&request=1&at=now&tables=x';
    expect(viewOf(search)).toEqual(PLAIN_VIEW);
    expect(viewOf('?since=2026-11-22T00:00:00Z&until=2026-11-21T00:00:00Z')).toEqual(PLAIN_VIEW);
  });
  test('whatever it says, something is shown', () => {
    fc.assert(
      fc.property(fc.webQueryParameters(), (query) => {
        const view = viewOf(`?${query}`);
        expect(viewOf(searchOf(view))).toEqual(view);
      }),
    );
  });
});
