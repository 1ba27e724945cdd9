const LINE_END = '\r\n';

/** What a part of an export holds. */
export interface CsvPart {
  /** The part without its header row, as text. */
  readonly rows: string;
  readonly header: string;
  /** Rows, of which a cell may have several lines. */
  readonly count: number;
}

/** Takes a part of a table of RFC 4180 apart. */
export function partOf(text: string): CsvPart {
  const end = text.indexOf(LINE_END);
  if (end === -1) return { header: text, rows: '', count: 0 };
  const start = end + LINE_END.length;
  const rows = text.slice(start);
  return { header: text.slice(0, start), rows, count: countRows(rows) };
}

/** Line ends outside of quotes: what is between two quotes is every second piece. */
function countRows(rows: string): number {
  let count = 0;
  for (const [index, piece] of rows.split('"').entries()) {
    if (index % 2 === 0) count += piece.split(LINE_END).length - 1;
  }
  return count + (rows === '' || rows.endsWith(LINE_END) ? 0 : 1);
}
