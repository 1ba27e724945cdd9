import { csvHeader, csvRows } from '../../functions/core/usage-csv.ts';
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
  csv: { head: csvHeader(), rows: csvRows, tail: '' },
  /** One JSON object a line. */
  jsonl: {
    head: '',
    rows: (events) => events.map((event) => `${json(event)}\n`).join(''),
    tail: '',
  },
} as const satisfies Record<string, EventFormat>;
export type ExportFormat = keyof typeof EXPORT_FORMATS;
