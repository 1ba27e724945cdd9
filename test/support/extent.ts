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

/**
 * What a landing tries of each of several rows, such as of the faults at each call: of the rows of one kind every `nth` column
 * or more, so that among them every column is met, in whatever order rows of other kinds stand between them.
 */
export function partsOf<R, C>(
  rows: readonly R[],
  { kindOf, columnsOf, nth }: { kindOf: (row: R) => string; columnsOf: (row: R) => readonly C[]; nth: number },
): (readonly [R, C[]])[] {
  const ofKind = Map.groupBy(rows, kindOf);
  return rows.map((row) => {
    const alike = ofKind.get(kindOf(row)) ?? [];
    return [row, partOf(columnsOf(row), Math.min(nth, alike.length), alike.indexOf(row))];
  });
}
