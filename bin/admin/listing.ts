import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { table } from '../cli/table.ts';
import { json } from '../cli/text.ts';

/** How a list is printed: as one JSON object with an array, or as tables. */
export type Look = 'json' | { readonly colourful: boolean };

/** Columns by their headings. */
export type Columns<T> = Readonly<Record<string, (entry: T) => string | number>>;

/** A list of any length, printed as it is read. */
export interface Listing {
  /** The text to print, a part at a time. */
  readonly parts: (look: Look) => AsyncIterable<string>;
}

/** Rows that are aligned with each other. */
const ROWS_PER_TABLE = 100;

interface ListingOf<T> {
  /** The member of the JSON object that holds the list. */
  readonly name: string;
  readonly entries: AsyncIterable<T>;
  readonly columns: Columns<T>;
  /** The text for an empty list. */
  readonly none: string;
}

/**
 * A list that holds at most one table in memory. Nothing is printed before the first entries were read, so an immediate
 * failure prints nothing.
 */
export const listing = <T>({ name, entries, columns, none }: ListingOf<T>): Listing => ({
  async *parts(look) {
    const tableOf = (some: readonly T[], colourful: boolean): string => {
      const rows = some.map((entry) => Object.values(columns).map((of) => of(entry)));
      return `${table(Object.keys(columns), rows, colourful)}\n`;
    };
    const start = `{${JSON.stringify(name)}:[`;
    let printed = false;
    for await (const some of pieces(entries, ROWS_PER_TABLE)) {
      if (look === 'json') yield (printed ? ',' : start) + some.map(json).join(',');
      else yield (printed ? '\n' : '') + tableOf(some, look.colourful);
      printed = true;
    }
    if (look === 'json') yield `${printed ? '' : start}]}\n`;
    else if (!printed) yield `${none}\n`;
  },
});

/** Prints a list at the pace of its reader. */
export async function printListing({ parts }: Listing, look: Look, output: Writable): Promise<void> {
  for await (const part of parts(look)) {
    if (!output.write(part)) await once(output, 'drain');
  }
}

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
