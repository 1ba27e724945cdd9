import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

// The linter checks `Date.now`, `Math.random` and `process.env`; it has no rule for `new Date()` without arguments.
test('the functions read the clock in one place, and so do the pages', () => {
  const files = globSync(['functions/**/*.ts', 'portal/**/*.{ts,tsx}']);
  const readers = files.filter((file) =>
    /new Date\(\)|\btoday\(getLocalTimeZone|\bDate\(\)/.test(readFileSync(file, 'utf8')),
  );
  expect(readers).toEqual([]);
});
