import { describe, expect, test } from '@jest/globals';
import { CAP_PERIODS, capIdOf, capSpanAt, firstKeyOf, ownPeriodOf } from '../../functions/shared/request/cap-period.ts';
import { MS_PER_DAY, MS_PER_SECOND } from '../../functions/shared/time.ts';

const at = (time: string, capId: string) => capSpanAt(Date.parse(time), capId, 'month');

describe('the period of a cap', () => {
  test.each(CAP_PERIODS)('is in its id, and so is the first key: %s', (period) => {
    const capId = capIdOf('key_1', period, 'month');
    expect([firstKeyOf(capId), ownPeriodOf(capId) ?? 'month']).toEqual(['key_1', period]);
  });

  test('adds nothing to the id where it is that of the quota, so that counts go on', () => {
    expect([capIdOf('key_1', 'month', 'month'), capIdOf('key_1', 'day', 'day')]).toEqual(['key_1', 'key_1']);
    expect(capSpanAt(Date.parse('2026-11-29T10:00:00Z'), 'key_1', 'day').id).toBe('2026-11-29');
  });

  test.each([
    ['key_1.d', '2026-02-28T23:59:59.999Z', '2026-02-28', '2026-03-01T00:00:00.000Z'],
    ['key_1.m', '2026-12-31T23:59:59.999Z', '2026-12', '2027-01-01T00:00:00.000Z'],
    ['key_1', '2026-12-31T23:59:59.999Z', '2026-12', '2027-01-01T00:00:00.000Z'],
    ['key_1.w', '2026-11-29T23:59:59.999Z', '2026-W48', '2026-11-30T00:00:00.000Z'],
    ['key_1.w', '2026-11-30T00:00:00.000Z', '2026-W49', '2026-12-07T00:00:00.000Z'],
    // An ISO week belongs to the year of its Thursday.
    ['key_1.w', '2027-01-01T00:00:00.000Z', '2026-W53', '2027-01-04T00:00:00.000Z'],
    ['key_1.w', '2024-12-30T00:00:00.000Z', '2025-W01', '2025-01-06T00:00:00.000Z'],
    ['key_1.w', '2021-01-03T12:00:00.000Z', '2020-W53', '2021-01-04T00:00:00.000Z'],
    ['key_1.w', '2026-01-01T00:00:00.000Z', '2026-W01', '2026-01-05T00:00:00.000Z'],
  ])('of %s at %s is %s, until %s', (capId, time, id, until) => {
    expect(at(time, capId)).toMatchObject({ id, endsAtEpochSeconds: Date.parse(until) / MS_PER_SECOND });
  });

  test('never ends where it counts once', () => {
    const [today, later] = [at('2026-11-29T10:00:00Z', 'key_1.o'), at('2028-01-03T10:00:00Z', 'key_1.o')];
    expect(today).toEqual(later);
    expect(today).toEqual({ id: 'once', startsAtMs: -Infinity, endsAtEpochSeconds: undefined });
  });

  test.each(['key_1.d', 'key_1.w', 'key_1.m'])('%s: each begins where the one before ends, for 30 years', (capId) => {
    let span = at('2020-01-01T00:00:00Z', capId);
    const seen = new Set([span.id]);
    for (let day = Date.UTC(2020, 0, 2); day < Date.UTC(2050, 0); day += MS_PER_DAY) {
      const next = capSpanAt(day, capId, 'month');
      if (next.id === span.id) continue;
      expect(next.startsAtMs).toBe((span.endsAtEpochSeconds ?? NaN) * MS_PER_SECOND);
      expect(next.startsAtMs).toBe(day);
      expect(seen.has(next.id)).toBe(false);
      seen.add(next.id);
      span = next;
    }
  });
});
