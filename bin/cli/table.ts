import { styleText } from 'node:util';
import stringWidth from 'string-width';
import { escaped } from './text.ts';

/** Whether to use colours and styles: on a terminal that supports them, unless the person wants none (no-color.org). */
export const isColourful = (
  { isTTY }: { readonly isTTY?: boolean },
  { NO_COLOR, TERM }: Readonly<Record<string, string | undefined>>,
): boolean => isTTY === true && !NO_COLOR && TERM !== 'dumb';

/** Bold text. The caller decides whether to use it, see {@link isColourful}. */
const bold = (text: string): string => styleText('bold', text, { validateStream: false });

/** A column of a table. */
export interface Column {
  readonly heading: string;
  /** Where its text may be shortened. Never an id: half an id is useless. */
  readonly shortens?: 'atEnd' | 'atStart';
  /** Right-aligned, for figures. */
  readonly figures?: true;
  /** If there is still too little room, columns are omitted, the highest number first. Absent: never omitted. */
  readonly spare?: number;
}

/** The format of a table. */
export interface TableLook {
  /** Whether headings are bold. */
  readonly colourful: boolean;
  /** Characters in a line; undefined: unlimited, as in a file. */
  readonly width?: number | undefined;
}

/** A table as text, and the headings of omitted columns. */
export interface DrawnTable {
  readonly text: string;
  readonly leftOut: readonly string[];
}

const GAP = '  ';
/** Texts are shortened to this many characters before a column is omitted. */
const SHORTEST = 15;

/** An aligned table with headings and lines of any length. */
export const table = (
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  colourful: boolean,
): string =>
  fittedTable(
    headings.map((heading) => ({ heading })),
    rows,
    { colourful },
  ).text;

/** An aligned table with headings that fits the width. Invisible characters are escaped. */
export function fittedTable(
  columns: readonly Column[],
  rows: readonly (readonly (string | number)[])[],
  { colourful, width = Infinity }: TableLook,
): DrawnTable {
  const cells = rows.map((row) => row.map((cell) => escaped(String(cell))));
  const wanted = columns.map((column, i) => ({
    ...column,
    i,
    width: Math.max(stringWidth(column.heading), ...cells.map((row) => stringWidth(row[i] ?? ''))),
  }));
  const fitted = fit(wanted, width);
  const lines = [
    fitted.map((column) => padded(column, column.heading, colourful ? bold : undefined)),
    ...cells.map((row) => fitted.map((column) => padded(column, row[column.i] ?? ''))),
  ];
  const shown = new Set(fitted.map(({ i }) => i));
  const text = lines.map((line) => line.join(GAP).replace(/ +$/, '')).join('\n');
  return { text, leftOut: wanted.filter(({ i }) => !shown.has(i)).map(({ heading }) => heading) };
}

type Wanted = Column & { readonly i: number; readonly width: number };

/** The text of a cell in the width of its column. */
function padded(column: Wanted, text: string, styled = (shown: string) => shown): string {
  const shown = cellOf(column, text);
  const room = ' '.repeat(column.width - stringWidth(shown));
  return column.figures ? room + styled(shown) : styled(shown) + room;
}

/** The text that fits, in whole characters, of which some have several code units. */
function cellOf({ shortens, width }: Wanted, text: string): string {
  if (!shortens || stringWidth(text) <= width) return text;
  const isAtStart = shortens === 'atStart';
  const characters = Array.from(CHARACTERS.segment(text), ({ segment }) => segment);
  const kept: string[] = [];
  let room = width - 1;
  for (const character of isAtStart ? characters.reverse() : characters) {
    room -= stringWidth(character);
    if (room < 0) break;
    kept.push(character);
  }
  return isAtStart ? `…${kept.reverse().join('')}` : `${kept.join('')}…`;
}

/** Characters as people see them. */
const CHARACTERS = new Intl.Segmenter();

/** The columns that fit, with their widths. */
function fit(columns: readonly Wanted[], width: number): readonly Wanted[] {
  const least = columns.map((column) =>
    column.shortens ? { ...column, width: Math.min(column.width, SHORTEST) } : column,
  );
  if (lineOf(least) > width) {
    const spares = columns.filter(({ spare }) => spare !== undefined);
    const sparest = spares.reduce<Wanted | undefined>(
      (most, column) => ((column.spare ?? 0) > (most?.spare ?? -1) ? column : most),
      undefined,
    );
    return sparest
      ? fit(
          columns.filter((column) => column !== sparest),
          width,
        )
      : least;
  }
  let room = width - lineOf(least);
  const wider = columns.map((column, n) => ({ column, from: least[n]?.width ?? column.width }));
  // Columns that need less than their share come first, and the others get the rest.
  const byNeed = wider.toSorted((a, b) => a.column.width - a.from - (b.column.width - b.from));
  const fitted = byNeed.map(({ column, from }, done) => {
    const more = Math.min(column.width - from, Math.floor(room / (byNeed.length - done)));
    room -= more;
    return { ...column, width: from + more };
  });
  return fitted.toSorted((a, b) => a.i - b.i);
}

const lineOf = (columns: readonly Wanted[]): number =>
  columns.reduce((sum, { width }) => sum + width, GAP.length * (columns.length - 1));
