import { describe, expect, test } from '@jest/globals';
import { closest, judge, type Pass } from '../../functions/usage/checks/difference.ts';

/** A read of the units: in the counter, in the events, and in the counter again. */
const pass = (before: number, sum: number, after: number): Pass => ({ before, sum, after });

describe('what passes over the same books say together', () => {
  test.each<[string, Pass[], string, number, number]>([
    ['nothing was charged meanwhile', [pass(5, 5, 5)], 'balanced', 0, 0],
    ['charges came meanwhile, and the events have all of them', [pass(5, 7, 7)], 'undecided', 0, 2],
    ['charges came meanwhile, and the events have some of them', [pass(5, 6, 7)], 'undecided', -1, 1],
    [
      'of two passes one had the bound above, the other the one below',
      [pass(5, 7, 7), pass(7, 7, 9)],
      'balanced',
      0,
      0,
    ],
    ['the events have more', [pass(5, 7, 6)], 'different', 1, 2],
    ['the events have fewer at two passes', [pass(5, 4, 5), pass(5, 4, 5)], 'undecided', -1, -1],
    ['the events have fewer at three passes', [pass(5, 4, 5), pass(5, 4, 5), pass(6, 5, 6)], 'different', -1, -1],
    ['one pass saw a charge before its event, another did not', [pass(6, 5, 6), pass(6, 6, 6)], 'balanced', 0, 0],
  ])('when %s', (_, passes, verdict, atLeast, atMost) => {
    expect(judge(passes)).toEqual({ verdict, difference: { atLeast, atMost } });
  });

  test('is reported with the figures of the pass that ended closest to its last event', () => {
    expect(closest([pass(5, 5, 7), pass(7, 8, 8), pass(8, 8, 9)])).toEqual(pass(7, 8, 8));
  });
});
