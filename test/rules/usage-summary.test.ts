import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { summaryText } from '../../bin/admin/usage.ts';
import { count, percentile, type Counts } from '../../functions/usage/sums/latency-histogram.ts';
import { summariseUsage, type UsageGrouping } from '../../bin/admin/usage-summary.ts';
import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';
import { oneByOne, someEvent } from '../support/usage-events.ts';

const rejected = { event: 'rate_limit_rejected', code: 'RATE_LIMIT_EXCEEDED', status: 429, units: 0 } as const;
const EVENTS: readonly UsageEvent[] = [
  someEvent({ occurredAt: '2030-01-15T23:59:59.999Z', latencyMs: 30, keyId: 'key_b' }),
  someEvent({ occurredAt: '2030-01-16T00:00:00.000Z', latencyMs: 10, keyId: 'key_a' }),
  someEvent({ occurredAt: '2030-01-16T08:00:00.000Z', latencyMs: 20, keyId: 'key_a', ...rejected }),
];
const summaryOf = (events: readonly UsageEvent[], by: UsageGrouping) => summariseUsage(oneByOne(events), by);
const figures = (
  requests: number,
  units: number,
  p50LatencyMs: number,
  p95LatencyMs: number,
  p99LatencyMs: number,
) => ({
  requests,
  units,
  p50LatencyMs,
  p95LatencyMs,
  p99LatencyMs,
});

test('a percentile is the exact nearest-rank one, for any latencies', () => {
  const latencies = fc.array(fc.nat({ max: 4_000 }), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(latencies, fc.integer({ min: 1, max: 100 }), (some, percent) => {
      const counts: Counts = new Map();
      for (const latency of some) count(counts, latency);
      const sorted = some.toSorted((a, b) => a - b);
      // The first value that at least this percentage of all values do not exceed.
      const exact = sorted.find(
        (value) => sorted.filter((other) => other <= value).length * 100 >= percent * some.length,
      );
      expect(percentile(counts, percent)).toBe(exact);
    }),
  );
});

describe('a summary', () => {
  test.each(['event', 'code'] as const)('by %s tells simulations apart, whatever they are of', async (by) => {
    const simulated = true;
    const events = [...EVENTS, someEvent({ simulated }), someEvent({ ...rejected, simulated })];
    const { groups } = await summaryOf(events, by);
    expect(groups.find(({ key }) => key === 'simulated')).toMatchObject({ requests: 2, units: 1 });
    expect(groups).toHaveLength(3);
  });

  test('groups by UTC day, in order', async () => {
    expect(await summaryOf(EVENTS.toReversed(), 'day')).toEqual({
      by: 'day',
      groups: [
        { key: '2030-01-15', ...figures(1, 1, 30, 30, 30) },
        { key: '2030-01-16', ...figures(2, 1, 10, 20, 20) },
      ],
      total: figures(3, 2, 20, 30, 30),
    });
  });

  test.each([
    ['key', ['key_a', 'key_b'], [2, 1]],
    ['event', ['request_succeeded', 'rate_limit_rejected'], [2, 1]],
    ['code', [null, 'RATE_LIMIT_EXCEEDED'], [2, 1]],
  ] as const)('groups by %s, the largest first', async (by, keys, requests) => {
    const { groups, total } = await summaryOf(EVENTS, by);
    expect(groups.map(({ key }) => key)).toEqual(keys);
    expect(groups.map((group) => group.requests)).toEqual(requests);
    expect(total).toEqual(figures(3, 2, 20, 30, 30));
  });

  test('of groups of one size begins with the one that has no key', async () => {
    const events = [someEvent(), someEvent(rejected), someEvent({ ...rejected, code: 'INVALID_REQUEST' })];
    for (const some of [events, events.toReversed()]) {
      const { groups } = await summaryOf(some, 'code');
      expect(groups.map(({ key }) => key)).toEqual([null, 'INVALID_REQUEST', 'RATE_LIMIT_EXCEEDED']);
    }
  });

  test('of nothing has no groups and no latencies, and says so', async () => {
    const nothing = await summaryOf([], 'day');
    const none = { p50LatencyMs: null, p95LatencyMs: null, p99LatencyMs: null };
    expect(nothing).toEqual({ by: 'day', groups: [], total: { requests: 0, units: 0, ...none } });
    expect(summaryText(nothing, false)).toBe('No usage events.');
  });

  test('shows the share of each group', async () => {
    expect(
      summaryText(await summaryOf(EVENTS, 'code'), false)
        .split('\n')
        .map((line) => line.trimEnd()),
    ).toEqual([
      'CODE                 REQUESTS  SHARE    UNITS  P50    P95    P99',
      '-                    2         66.7 %   2      10 ms  30 ms  30 ms',
      'RATE_LIMIT_EXCEEDED  1         33.3 %   0      20 ms  20 ms  20 ms',
      'total                3         100.0 %  2      20 ms  30 ms  30 ms',
      '',
      'Days are in UTC. Latency is from receipt to decision, without settlement.',
      'Events of 0 units are kept for 30 days.',
    ]);
  });
});
