import { ERRORS } from '../../functions/core/errors.ts';
import { csvHeader, csvRows } from '../../functions/core/usage-csv.ts';
import type { UsageEvent } from '../../functions/core/usage-event.ts';
import { bold } from './text.ts';
import { escaped, json } from './unseen.ts';

/** How events become text, some at a time. */
export interface EventFormat {
  /** What stands before the first event, and after the last. */
  readonly head: string;
  readonly tail: string;
  /** The text of some events; `first`: none came before them. */
  readonly rows: (events: readonly UsageEvent[], first: boolean) => string;
  /** Stands for all of it when there are no events. Absent: head and tail do. */
  readonly empty?: string;
}

/** Events in one piece of text: some 100 kB, enough to write at once and little to hold. */
export const EVENTS_PER_PIECE = 250;

/**
 * The text of events, piece by piece as it is taken: no event is asked for before the piece before it was. Nothing comes
 * before the first event was read, so that what fails at once leaves no output.
 */
export async function* textOf(events: AsyncIterable<UsageEvent>, format: EventFormat): AsyncGenerator<string> {
  const { head, rows, tail, empty = head + tail } = format;
  let first = true;
  for await (const some of pieces(events)) {
    yield (first ? head : '') + rows(some, first);
    first = false;
  }
  yield first ? empty : tail;
}

async function* pieces(events: AsyncIterable<UsageEvent>): AsyncGenerator<readonly UsageEvent[]> {
  let piece: UsageEvent[] = [];
  for await (const event of events) {
    piece.push(event);
    if (piece.length < EVENTS_PER_PIECE) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}

/** Formats of an export, by their names. */
export const EXPORT_FORMATS = {
  csv: { head: csvHeader(), rows: csvRows, tail: '' },
  /** One JSON object a line. */
  jsonl: {
    head: '',
    rows: (events) => events.map((event) => `${json(event)}\n`).join(''),
    tail: '',
  },
} as const satisfies Record<string, EventFormat>;
export type ExportFormat = keyof typeof EXPORT_FORMATS;

/** One JSON object that holds all events: `{"events":[…]}`. */
export const JSON_LIST: EventFormat = {
  head: '{"events":[',
  rows: (events, first) => `${first ? '' : ','}${events.map(json).join(',')}`,
  tail: ']}\n',
};

/** Columns of fixed width, as nobody knows yet how long what follows will be. */
const COLUMNS: readonly (readonly [heading: string, width: number, (event: UsageEvent) => string | number])[] = [
  ['OCCURRED', 'YYYY-MM-DDTHH:MM:SS.mmmZ'.length, ({ occurredAt }) => occurredAt],
  ['EVENT', 'idempotency_conflict'.length, ({ event }) => event],
  ['STATUS', 'STATUS'.length, ({ status }) => status],
  ['CODE', Math.max(...Object.keys(ERRORS).map((code) => code.length)), ({ code }) => code ?? '-'],
  ['UNITS', 'UNITS'.length, ({ units }) => units],
  ['LATENCY', 'LATENCY'.length, ({ latencyMs }) => `${latencyMs} ms`],
  ['KEY', 'key_0000000000000000'.length, ({ keyId }) => keyId],
  ['REQUEST', 0, ({ requestId }) => requestId],
];

/** A table for people; its heading stands out where it is `colourful`. */
export function eventTable(colourful: boolean): EventFormat {
  const headings = line(([heading]) => heading);
  return {
    head: `${colourful ? bold(headings) : headings}\n`,
    rows: (events) => events.map((event) => `${line(([, , cell]) => cell(event))}\n`).join(''),
    tail: '',
    empty: 'No usage events.\n',
  };
}

function line(cell: (column: (typeof COLUMNS)[number]) => string | number): string {
  return COLUMNS.map((column) => escaped(String(cell(column))).padEnd(column[1])).join('  ');
}
