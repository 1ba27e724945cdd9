import { stringify } from 'csv-stringify/sync';
import { USAGE_EVENT_FIELDS, type UsageEvent } from './usage-event.ts';

/** The names of the fields, as the first row of a table of events. */
export const csvHeader = (): string => csv([USAGE_EVENT_FIELDS]);

/**
 * Events as rows of a table (RFC 4180); null and what is absent are empty cells. A text that a spreadsheet would read as a formula gets
 * an apostrophe in front (OWASP, "CSV Injection"), because clients choose `clientRequestId`.
 */
export const csvRows = (events: readonly UsageEvent[]): string => csv(events);

function csv(records: readonly (UsageEvent | readonly string[])[]): string {
  return stringify([...records], {
    columns: [...USAGE_EVENT_FIELDS],
    record_delimiter: 'windows',
    escape_formulas: true,
    // The option above does not cover a line feed in front, after which a spreadsheet may begin again …
    cast: { string: (text) => (text.startsWith('\n') ? `'${text}` : text), boolean: String },
    // … and a single line feed inside, which many readers treat as the end of a record.
    quoted_match: /[\r\n]/,
  });
}
