import { stringify } from 'csv-stringify/sync';
import { USAGE_EVENT_FIELDS } from '../../functions/core/usage-event-fields.ts';
import type { UsageEvent } from '../../functions/core/usage-event.ts';
import { pieces } from './listing.ts';
import { json } from './unseen.ts';

/** How events become text, some at a time. */
export interface EventFormat {
  /** What stands before the first event, and after the last. */
  readonly head: string;
  readonly tail: string;
  readonly rows: (events: readonly UsageEvent[]) => string;
}

/** Events in one piece of text: some 100 kB, enough to write at once and little to hold. */
export const EVENTS_PER_PIECE = 250;

/**
 * The text of events, piece by piece as it is taken: no event is asked for before the piece before it was. Nothing comes
 * before the first event was read, so that what fails at once leaves no output.
 */
export async function* textOf(events: AsyncIterable<UsageEvent>, format: EventFormat): AsyncGenerator<string> {
  const { head, rows, tail } = format;
  let first = true;
  for await (const some of pieces(events, EVENTS_PER_PIECE)) {
    yield (first ? head : '') + rows(some);
    first = false;
  }
  yield (first ? head : '') + tail;
}

/** Formats of an export, by their names. */
export const EXPORT_FORMATS = {
  /**
   * RFC 4180 with a header; null is an empty field. A text that a spreadsheet would take for a formula gets an
   * apostrophe in front (OWASP, "CSV Injection"): clients choose what `clientRequestId` holds.
   */
  csv: {
    head: csv([USAGE_EVENT_FIELDS]),
    rows: (events) => csv(events),
    tail: '',
  },
  /** One JSON object a line. */
  jsonl: {
    head: '',
    rows: (events) => events.map((event) => `${json(event)}\n`).join(''),
    tail: '',
  },
} as const satisfies Record<string, EventFormat>;
export type ExportFormat = keyof typeof EXPORT_FORMATS;

function csv(records: readonly (UsageEvent | readonly string[])[]): string {
  return stringify([...records], {
    columns: [...USAGE_EVENT_FIELDS],
    record_delimiter: 'windows',
    escape_formulas: true,
    // What the option above leaves out: a line feed in front, after which a spreadsheet may begin again …
    cast: { string: (text) => (text.startsWith('\n') ? `'${text}` : text) },
    // … and a lone one within, which many readers take for the end of a record.
    quoted_match: /[\r\n]/,
  });
}
