import { describe, expect, test } from '@jest/globals';
import { keysNamed, stateOf } from '../../portal/keys/key-view.ts';
import { daysSince } from '../../portal/usage/ranges.ts';
import { someKey } from '../support/page-keys.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.parse('2026-11-22T10:07:30.000Z');
const at = (ms: number): string => new Date(ms).toISOString();

describe('a key that expires', () => {
  const stateAfter = (days: number, leftMs: number) =>
    stateOf(someKey({ createdAt: at(NOW + leftMs - days * DAY_MS), expiresAt: at(NOW + leftMs) }), NOW);

  test.each<[lifeDays: number, leftMs: number, state: readonly [string, string]]>([
    [1, DAY_MS, ['good', 'Expires in 24 h']],
    [1, 5 * HOUR_MS, ['good', 'Expires in 5 h']],
    [1, 4 * HOUR_MS, ['warn', 'Expires in 4 h']],
    [7, 7 * DAY_MS, ['good', 'Expires in 7 days']],
    [7, DAY_MS, ['warn', 'Expires in 24 h']],
    [30, 7 * DAY_MS, ['good', 'Expires in 7 days']],
    [30, 6 * DAY_MS, ['warn', 'Expires in 6 days']],
    [90, 8 * DAY_MS, ['good', 'Active']],
    [90, 7 * DAY_MS, ['warn', 'Expires in 7 days']],
    [90, 0, ['over', 'Expired']],
  ])('of %p days, with %p ms left, is amber in its last fifth and its last week only', (days, leftMs, state) => {
    expect(stateAfter(days, leftMs)).toEqual(state);
  });

  test('is paused or replaced before it is that', () => {
    const key = someKey({ createdAt: at(NOW - 90 * DAY_MS), expiresAt: at(NOW + DAY_MS) });
    expect(stateOf({ ...key, paused: true }, NOW)).toEqual(['warn', 'Paused']);
    const replaced = { ...key, replacedBy: 'key_BBBBBBBBBBBBBBBB' };
    expect(stateOf(replaced, NOW)).toEqual(['warn', 'Replaced, ends in 24 h']);
  });
});

test('a key is found by a part of its name, its id, its last characters or itself, and by no other key', () => {
  const keys = [
    someKey({ name: 'Nightly import', keyId: 'key_AAAAAAAAAAAAAAAA', lastFour: 'abCD' }),
    someKey({ name: null, keyId: 'key_BBBBBBBBBBBBBBBB', lastFour: 'ABcd' }),
  ];
  const found = (typed: string) => keysNamed(keys, typed).map(({ lastFour }) => lastFour);
  expect(found('')).toEqual(['abCD', 'ABcd']);
  expect(found(' IMPORT ')).toEqual(['abCD']);
  expect(found('key_bbbbbbbbbbbbbbbb')).toEqual(['ABcd']);
  expect(found('abcd')).toEqual(['abCD', 'ABcd']);
  expect(found('…ABcd')).toEqual(['ABcd']);
  expect(found(`svc_test_${'x'.repeat(38)}abCD `)).toEqual(['abCD']);
  expect(found(`acme_test_${'x'.repeat(38)}abCD`)).toEqual(['abCD']);
  expect(found('acme_test_…abCD')).toEqual(['abCD']);
  expect(found(`svc_test_${'x'.repeat(42)}`)).toEqual([]);
});

test('the days of a list of keys are the period and seven days at least', () => {
  expect(daysSince('2026-11', NOW)).toBe('2026-11-01T00:00:00.000Z');
  expect(daysSince('2026-11', Date.parse('2026-11-03T10:00:00Z'))).toBe('2026-10-28T00:00:00.000Z');
  expect(daysSince('2026-11-22', NOW)).toBe('2026-11-16T00:00:00.000Z');
});
