import { describe, expect, test } from '@jest/globals';
import { budgetsIn, capSentence, sharersOf, shownCap } from '../../portal/keys/cap.ts';
import { someKey } from '../support/page-keys.ts';

const NOW = Date.parse('2026-11-29T10:07:30.000Z');
const [A, B, C] = ['key_AAAAAAAAAAAAAAAA', 'key_BBBBBBBBBBBBBBBB', 'key_CCCCCCCCCCCCCCCC'] as const;

describe('the cap of a key', () => {
  test.each([
    ['day', '2026-11-29T23:59:59.999Z', '30 November'],
    ['day', '2026-12-31T00:00:00.000Z', '1 January'],
    ['week', '2026-11-29T23:59:59.999Z', 'Monday, 30 November'],
    ['week', '2026-11-30T00:00:00.000Z', 'Monday, 7 December'],
    ['week', '2026-12-30T12:00:00.000Z', 'Monday, 4 January'],
    ['month', '2026-11-30T23:59:59.999Z', '1 December'],
  ] as const)('of a %s says at %s that it begins again on %s, in UTC', (period, at, day) => {
    expect(capSentence(period, Date.parse(at))).toBe(`It begins again on ${day}, 00:00 UTC.`);
  });

  test('that counts once names no time to wait for', () => {
    const key = someKey({ unitsLimit: 10, unitsUsed: 12, unitsPeriod: 'once' });
    expect(capSentence('once', NOW)).toMatch(/never begins again.*refused until somebody raises it/);
    expect(shownCap(key, NOW)).toMatchObject({ left: 0, words: '10, once', until: 'it never begins again' });
    expect(shownCap({ ...key, unitsPeriod: 'week' }, NOW)?.sentence).toBe(
      '12 of 10 units a week, until Monday, 30 November, 00:00 UTC',
    );
    expect(shownCap(someKey(), NOW)).toBeNull();
  });
});

describe('a budget', () => {
  const capped = { unitsLimit: 10, unitsUsed: 7, unitsPeriod: 'once' } as const;
  const first = someKey({ ...capped, keyId: A, name: 'Run' });
  const second = someKey({ ...capped, keyId: B, capOf: A });
  const other = someKey({ ...capped, keyId: C, name: 'Alone' });
  const ids = (keys: readonly { keyId: string }[]) => keys.map(({ keyId }) => keyId);

  test('has the working keys that spend from it, whichever of them is asked, also after the end of the first', () => {
    const third = { ...second, keyId: 'key_DDDDDDDDDDDDDDDD' };
    const keys = [first, second, third, other];
    for (const key of [first, second, third]) expect(sharersOf(key, keys, NOW)).toHaveLength(3);
    expect(ids(sharersOf(other, keys, NOW))).toEqual([C]);
    const ended = [{ ...first, status: 'revoked' as const }, second, third, other];
    expect(ids(sharersOf(second, ended, NOW))).toEqual([B, third.keyId]);
    expect(sharersOf(someKey(), keys, NOW)).toEqual([]);
  });

  test('counts a replaced key and its successor as one', () => {
    const replaced = { ...second, replacedBy: C, expiresAt: '2026-11-30T00:00:00.000Z' };
    const successor = { ...second, keyId: C };
    expect(ids(sharersOf(first, [first, replaced, successor], NOW))).toEqual([A, C]);
    expect(ids(sharersOf(first, [first, replaced], NOW))).toEqual([A, B]);
  });

  test('is offered to a new key once, by a test key of it that works, was not replaced, and counts once', () => {
    const none = [
      { ...other, unitsPeriod: 'month' as const },
      { ...other, status: 'revoked' as const },
      { ...other, mode: 'live' as const },
      { ...other, replacedBy: B, expiresAt: '2026-11-30T00:00:00.000Z' },
      someKey({ keyId: C }),
    ];
    for (const key of none) expect(budgetsIn([key], NOW)).toEqual([]);
    const offered = budgetsIn([second, first, other], NOW).map(([budget, key, words]) => [budget, key.keyId, words]);
    expect(offered).toEqual([
      [A, A, expect.stringMatching(/ and 1 more key: 3 of 10 left$/)],
      [C, C, expect.stringMatching(/Alone.*: 3 of 10 left$/)],
    ]);
    // The first key of a budget may have ended.
    expect(budgetsIn([second], NOW).map(([budget, { keyId }]) => [budget, keyId])).toEqual([[A, B]]);
  });
});
