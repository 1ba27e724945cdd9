import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { fittedTable, type Column, type TableLook } from '../cli/table.ts';
import { json } from '../cli/text.ts';

/** How a list is printed: as one JSON object with an array, or as tables. */
export type Look = 'json' | TableLook;

/** A column of a list. */
export type ListColumn<T> = Column & { readonly of: (entry: T) => string | number };

/** A list of any length, printed as it is read. */
export interface Listing {
  /** The text to print, a part at a time. */
  readonly parts: (look: Look) => AsyncIterable<string>;
}

interface ListingOf<T> {
  /** The member of the JSON object that holds the list. */
  readonly name: string;
  /** The columns for each entry. */
  readonly entries: AsyncIterable<T>;
  readonly columns: readonly ListColumn<T>[];
  /** The text for an empty list. */
  readonly none: string;
}

/**
 * A list that holds at most one table in memory. Nothing is printed before the first entries were read, so an immediate
 * failure prints nothing.
 */
export const listing = <T>(list: ListingOf<T>): Listing => ({
  parts: (look) => (look === 'json' ? jsonParts(list) : tables(list, look)),
});

/** Rows that are aligned with each other. After this many rows, a new table with headings begins. */
const ROWS_PER_TABLE = 100;

/** Prints a list at the pace of its reader. */
export async function printListing({ parts }: Listing, look: Look, output: Writable): Promise<void> {
  for await (const part of parts(look)) {
    if (!output.write(part)) await once(output, 'drain');
  }
}

async function* jsonParts<T>({ name, entries }: ListingOf<T>): AsyncGenerator<string> {
  const start = `{${JSON.stringify(name)}:[`;
  let before = start;
  for await (const some of pieces(entries, ROWS_PER_TABLE)) {
    yield before + some.map(json).join(',');
    before = ',';
  }
  yield before === start ? `${start}]}\n` : ']}\n';
}

async function* tables<T>({ entries, columns, none }: ListingOf<T>, look: TableLook): AsyncGenerator<string> {
  const leftOut = new Set<string>();
  const drawn = (some: readonly T[]): string => {
    const rows = some.map((entry) => columns.map(({ of }) => of(entry)));
    const { text, leftOut: narrow } = fittedTable(columns, rows, look);
    for (const heading of narrow) leftOut.add(heading);
    return `${text}\n`;
  };
  let printed = false;
  for await (const some of pieces(entries, ROWS_PER_TABLE)) {
    yield `${printed ? '\n' : ''}${drawn(some)}`;
    printed = true;
  }
  if (!printed) yield `${none}\n`;
  yield notShown([...leftOut]);
}

/** The note about columns without room on the terminal; empty: there are none. */
export const notShown = (headings: readonly string[]): string =>
  headings.length === 0 ? '' : `\nNot shown: ${headings.join(', ')} (--wide).\n`;

/** The entries of a list in pieces. */
export async function* pieces<T>(entries: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let piece: T[] = [];
  for await (const entry of entries) {
    piece.push(entry);
    if (piece.length < size) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}

/** The first `count` of a list; undefined: all of it. Reads no further. */
export async function* first<T>(entries: AsyncIterable<T>, count: number | undefined): AsyncGenerator<T> {
  let taken = 0;
  for await (const entry of entries) {
    yield entry;
    if (++taken === count) return;
  }
}

/** Converts each entry of a list. */
export async function* mapped<T, U>(entries: AsyncIterable<T>, form: (entry: T) => U): AsyncGenerator<U> {
  for await (const entry of entries) yield form(entry);
}

/** Selects entries of a list. */
export async function* filtered<T>(entries: AsyncIterable<T>, isWanted: (entry: T) => boolean): AsyncGenerator<T> {
  for await (const entry of entries) if (isWanted(entry)) yield entry;
}
