import { describe, expect, test } from '@jest/globals';
import { closest, judge, type Look } from '../../functions/usage/difference.ts';

/** A read of the units: in the counter, in the events, and in the counter again. */
const look = (before: number, sum: number, after: number): Look => ({ before, sum, after });

describe('what looks at the same books say together', () => {
  test.each<[string, Look[], string, number, number]>([
    ['nothing was charged meanwhile', [look(5, 5, 5)], 'balanced', 0, 0],
    ['charges came meanwhile, and the events have all of them', [look(5, 7, 7)], 'undecided', 0, 2],
    ['charges came meanwhile, and the events have some of them', [look(5, 6, 7)], 'undecided', -1, 1],
    ['of two looks one had the bound above, the other the one below', [look(5, 7, 7), look(7, 7, 9)], 'balanced', 0, 0],
    ['the events have more', [look(5, 7, 6)], 'different', 1, 2],
    ['the events have fewer at two looks', [look(5, 4, 5), look(5, 4, 5)], 'undecided', -1, -1],
    ['the events have fewer at three looks', [look(5, 4, 5), look(5, 4, 5), look(6, 5, 6)], 'different', -1, -1],
    ['one look saw a charge before its event, another did not', [look(6, 5, 6), look(6, 6, 6)], 'balanced', 0, 0],
  ])('when %s', (_, looks, verdict, atLeast, atMost) => {
    expect(judge(looks)).toEqual({ verdict, difference: { atLeast, atMost } });
  });

  test('is reported with the figures of the pass that ended closest to its last event', () => {
    expect(closest([look(5, 5, 7), look(7, 8, 8), look(8, 8, 9)])).toEqual(look(7, 8, 8));
  });
});
