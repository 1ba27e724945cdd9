import { expect, test } from '@jest/globals';
import { OPERATIONS } from '../../functions/gateway/operations/index.ts';

test('every operation charges whole units, and is known by a name and a path of its own', () => {
  for (const { name, units } of OPERATIONS) {
    expect([name, Number.isInteger(units) && units >= 1]).toEqual([name, true]);
  }
  expect(new Set(OPERATIONS.map(({ name }) => name)).size).toBe(OPERATIONS.length);
  expect(new Set(OPERATIONS.map(({ path }) => path)).size).toBe(OPERATIONS.length);
});
