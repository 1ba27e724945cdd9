import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { table } from './text.ts';
import { json } from './unseen.ts';

/** How a list is printed: as one JSON object with an array, or as tables, of which headings may stand out. */
export type Look = 'json' | 'plain' | 'colourful';

/** A list of any length, printed as it is read. */
export interface Listing {
  /** The text to print, a part at a time. */
  readonly parts: (look: Look) => AsyncIterable<string>;
}

interface ListingOf<T> {
  /** The member of the JSON object that holds the list. */
  readonly name: string;
  /** What the list shows of each entry. */
  readonly entries: AsyncIterable<T>;
  readonly headings: readonly string[];
  /** An entry as a row under the headings. */
  readonly row: (entry: T) => readonly (string | number)[];
  /** What people are told of an empty list. */
  readonly none: string;
}

/**
 * A list that never holds more than one table of what it reads. Its first part comes with its first entry, so that what
 * fails at once prints nothing.
 */
export const listing = <T>(list: ListingOf<T>): Listing => ({
  parts: (look) => (look === 'json' ? jsonParts(list) : tables(list, look === 'colourful')),
});

/** Rows that are aligned with each other; each further so many come under headings of their own. */
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
  for await (const entry of entries) {
    yield before + json(entry);
    before = ',';
  }
  yield before === start ? `${start}]}\n` : ']}\n';
}

async function* tables<T>({ entries, headings, row, none }: ListingOf<T>, colourful: boolean): AsyncGenerator<string> {
  let rows: (readonly (string | number)[])[] = [];
  let printed = false;
  for await (const entry of entries) {
    rows.push(row(entry));
    if (rows.length < ROWS_PER_TABLE) continue;
    yield `${printed ? '\n' : ''}${table(headings, rows, colourful)}\n`;
    printed = true;
    rows = [];
  }
  if (rows.length > 0) yield `${printed ? '\n' : ''}${table(headings, rows, colourful)}\n`;
  else if (!printed) yield `${none}\n`;
}

/** The first `count` of a list; all of it for undefined. Reads no further. */
export async function* first<T>(entries: AsyncIterable<T>, count: number | undefined): AsyncGenerator<T> {
  let taken = 0;
  for await (const entry of entries) {
    yield entry;
    if (++taken === count) return;
  }
}

/** Each entry of a list in another form. */
export async function* mapped<T, U>(entries: AsyncIterable<T>, form: (entry: T) => U): AsyncGenerator<U> {
  for await (const entry of entries) yield form(entry);
}
