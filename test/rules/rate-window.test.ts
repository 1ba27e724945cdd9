import { describe, expect, test } from '@jest/globals';
import { countAgain } from '../../functions/shared/request/admission.ts';

const NOW = 1_000;
const LIMIT = 60;

describe('a count that did not go through', () => {
  test.each([undefined, NOW - 1, NOW - 16])('because the window is at %s starts this minute over it', (minute) => {
    expect(countAgain({ minute, count: 5 }, LIMIT, NOW)).toEqual({
      kind: 'reset',
      minute: NOW,
      replaces: minute,
      aheadOfClock: false,
    });
  });

  test.each([NOW, NOW + 1, NOW + 2])('because the window is at %d counts there, up to its limit', (minute) => {
    expect(countAgain({ minute, count: LIMIT - 1 }, LIMIT, NOW)).toEqual({ kind: 'count', minute });
    expect(countAgain({ minute, count: LIMIT }, LIMIT, NOW)).toEqual({ kind: 'full' });
  });

  test('because the window is more than two minutes ahead overwrites what a broken clock wrote', () => {
    expect(countAgain({ minute: NOW + 3, count: LIMIT }, LIMIT, NOW)).toEqual({
      kind: 'reset',
      minute: NOW,
      replaces: NOW + 3,
      aheadOfClock: true,
    });
  });
});
