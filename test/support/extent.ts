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
 * What a landing tries of each of several rows, such as of the faults at each call: of the rows of one kind that have a column
 * every `nthOf` or more, so that among them every column is met, in whatever order rows stand, and whichever columns each
 * has. Of a row it may be none.
 */
export function partsOf<R, C>(
  rows: readonly R[],
  {
    kindOf,
    columnsOf,
    nthOf,
  }: { kindOf: (row: R) => string; columnsOf: (row: R) => readonly C[]; nthOf: (row: R) => number },
): (readonly [R, C[]])[] {
  const whole = rows.map((row): readonly [R, C[]] => [row, [...columnsOf(row)]]);
  if (IS_FULL) return whole;
  const ofKind = Map.groupBy(whole, ([row]) => kindOf(row));
  return whole.map((entry) => {
    const [row, columns] = entry;
    const alike = ofKind.get(kindOf(row)) ?? [];
    const all = [...new Set(alike.flatMap(([, theirs]) => theirs))];
    const part = columns.filter((column) => {
      const having = alike.filter(([, theirs]) => theirs.includes(column));
      return (having.indexOf(entry) + all.indexOf(column)) % Math.min(nthOf(row), having.length) === 0;
    });
    return [row, part];
  });
}
