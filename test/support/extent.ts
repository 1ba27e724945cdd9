/** Whether a run tries everything (`npm run test:full`), and not only what every landing does. */
export const IS_FULL = process.env.TEST_EXTENT === 'full';

/**
 * What a landing tries of a row of a matrix: every `nth` of its columns, and one at least, beginning further on in each row,
 * so that any `nth` rows of the same columns try all of them. A full run does in every row.
 */
export function partOf<T>(columns: readonly T[], nth: number, row: number): T[] {
  if (IS_FULL) return [...columns];
  const part = columns.filter((_, column) => (column + row) % nth === 0);
  return part.length > 0 ? part : columns.slice(0, 1);
}
