import { expect, test } from '@jest/globals';
import { mayCost, mostOf } from '../../functions/shared/request/operation.ts';
import { OPERATIONS } from '../../functions/gateway/operations/index.ts';

test('every operation charges whole units, and is known by a name and a path of its own', () => {
  for (const { name, units } of OPERATIONS) {
    expect([name, mayCost({ most: 1e9 }, mostOf(units))]).toEqual([name, true]);
  }
  expect(new Set(OPERATIONS.map(({ name }) => name)).size).toBe(OPERATIONS.length);
  expect(new Set(OPERATIONS.map(({ path }) => path)).size).toBe(OPERATIONS.length);
});
