const LINE_END = '\r\n';

/** A part of an export. */
export interface CsvPart {
  /** The part without its header row, as text. */
  readonly rows: string;
  readonly header: string;
  /** The number of rows. A cell may have several lines. */
  readonly count: number;
}

/** Reads a part of a table (RFC 4180). */
export function partOf(text: string): CsvPart {
  const end = text.indexOf(LINE_END);
  if (end === -1) return { header: text, rows: '', count: 0 };
  const start = end + LINE_END.length;
  const rows = text.slice(start);
  return { header: text.slice(0, start), rows, count: countRows(rows) };
}

/** Line ends outside of quotes. Every second piece is between two quotes. */
function countRows(rows: string): number {
  let count = 0;
  for (const [index, piece] of rows.split('"').entries()) {
    if (index % 2 === 0) count += piece.split(LINE_END).length - 1;
  }
  return count + (rows === '' || rows.endsWith(LINE_END) ? 0 : 1);
}
