import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { DAY, HOUR, FIVE_MINUTES, piecesOf, roundedOutward, startsOf } from '../../functions/usage/sums/intervals.ts';

const MINUTE_MS = 60_000;
const at = (text: string): number => Date.parse(`${text}Z`);
const time = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 16);

/** Pieces as text: `HOUR 10:00 to 12:00`. */
const pieces = (by: typeof DAY, since: string, until: string, now: string): string[] => {
  const { closed, open } = piecesOf(by, { sinceMs: at(since), untilMs: at(until) }, at(now));
  const named = closed.map(({ length, ...bounds }) => ({ kind: length.kind, ...bounds }));
  const all = [...named, ...(open.sinceMs < open.untilMs ? [{ kind: 'open', ...open }] : [])];
  return all.map(({ kind, sinceMs, untilMs }) => `${kind} ${time(sinceMs)} to ${time(untilMs)}`);
};

describe('a span', () => {
  test('is rounded outward to whole intervals, and stays as it is when it has whole ones', () => {
    const span = { sinceMs: at('2030-01-14T10:07:01'), untilMs: at('2030-01-15T10:00:30') };
    const rounded = [FIVE_MINUTES, HOUR, DAY].map((length) => roundedOutward(length, span));
    expect(rounded.map(({ sinceMs, untilMs }) => [time(sinceMs), time(untilMs)])).toEqual([
      ['2030-01-14T10:05', '2030-01-15T10:05'],
      ['2030-01-14T10:00', '2030-01-15T11:00'],
      ['2030-01-14T00:00', '2030-01-16T00:00'],
    ]);
    rounded.forEach((bounds, i) => {
      expect(roundedOutward([FIVE_MINUTES, HOUR, DAY][i] ?? DAY, bounds)).toEqual(bounds);
    });
  });

  test('is summed from its closed days, then hours, then parts; the rest is open', () => {
    expect(pieces(DAY, '2030-01-10T00:00', '2030-01-16T00:00', '2030-01-15T10:23:30')).toEqual([
      'DAY 2030-01-10T00:00 to 2030-01-15T00:00',
      'HOUR 2030-01-15T00:00 to 2030-01-15T10:00',
      'PART 2030-01-15T10:00 to 2030-01-15T10:20',
      'open 2030-01-15T10:20 to 2030-01-16T00:00',
    ]);
    expect(pieces(HOUR, '2030-01-14T10:00', '2030-01-15T11:00', '2030-01-15T10:09:59')).toEqual([
      'HOUR 2030-01-14T10:00 to 2030-01-15T09:00',
      'PART 2030-01-15T09:00 to 2030-01-15T10:05',
      'open 2030-01-15T10:05 to 2030-01-15T11:00',
    ]);
    // Yesterday is closed ten minutes after midnight, its parts sooner.
    expect(pieces(DAY, '2030-01-14T00:00', '2030-01-15T00:00', '2030-01-15T00:09:59')).toEqual([
      'HOUR 2030-01-14T00:00 to 2030-01-14T23:00',
      'PART 2030-01-14T23:00 to 2030-01-15T00:00',
    ]);
  });

  test('has each moment in one piece, and none in a closed one to which an event may still come', () => {
    const spans = fc.record({
      by: fc.constantFrom(DAY, HOUR, FIVE_MINUTES),
      nowMs: fc.integer({ min: at('2030-01-01T00:00'), max: at('2030-03-01T00:00') }),
      sinceAgoMs: fc.integer({ min: 0, max: 40 * DAY.lengthMs }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(spans, ({ by, nowMs, sinceAgoMs, share }) => {
        const span = roundedOutward(by, {
          sinceMs: nowMs - sinceAgoMs,
          untilMs: nowMs - Math.floor(sinceAgoMs * share),
        });
        const { closed, open } = piecesOf(by, span, nowMs);
        let reachedMs = span.sinceMs;
        for (const { length, sinceMs, untilMs } of closed) {
          expect(sinceMs).toBe(reachedMs);
          expect([sinceMs % length.lengthMs, untilMs % length.lengthMs]).toEqual([0, 0]);
          expect([...startsOf({ length, sinceMs, untilMs })]).toHaveLength((untilMs - sinceMs) / length.lengthMs);
          // The last event comes 5 s after the end, by a clock that may be 90 s behind.
          expect(nowMs - untilMs).toBeGreaterThanOrEqual((length === FIVE_MINUTES ? 3 : 10) * MINUTE_MS);
          reachedMs = untilMs;
        }
        expect(open.sinceMs).toBe(reachedMs);
        if (open.sinceMs < span.untilMs) expect(nowMs - open.sinceMs).toBeLessThan(8 * MINUTE_MS);
        expect(Math.max(open.untilMs, open.sinceMs)).toBe(span.untilMs);
      }),
    );
  });
});
