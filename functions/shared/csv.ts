import { stringify } from 'csv-stringify/sync';

/** The names of columns, as the first row of a table. */
export const csvHeader = (columns: readonly string[]): string => csv(columns, [columns]);

/**
 * Records as rows of a table (RFC 4180); null and an absent member are empty cells. A text that a spreadsheet would
 * read as a formula gets an apostrophe in front (OWASP, "CSV Injection"), because clients and people choose some of
 * them.
 */
export const csvRows = <T extends object>(columns: readonly (keyof T & string)[], records: readonly T[]): string =>
  csv(columns, records);

function csv(columns: readonly string[], records: readonly object[]): string {
  return stringify([...records], {
    columns: [...columns],
    record_delimiter: 'windows',
    escape_formulas: true,
    // The option above does not cover a line feed in front, after which a spreadsheet may begin again …
    cast: { string: (text) => withoutFormulas(text.startsWith('\n') ? `'${text}` : text), boolean: String },
    // … and a single line feed inside, which many readers treat as the end of a record.
    quoted_match: /[\r\n]/,
  });
}

/**
 * Many spreadsheets split a line at semicolons or tabs, by the language of their user. A formula behind one, with or
 * without spaces and quotes, begins a cell of its own there.
 */
const withoutFormulas = (text: string): string => text.replace(/([;\t][\s"]*)(?=[=+\-@＝＋－＠])/g, "$1'");
