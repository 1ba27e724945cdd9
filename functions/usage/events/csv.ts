import { csvHeader, csvRows } from '../../shared/csv.ts';
import { USAGE_EVENT_FIELDS, type UsageEvent } from '../../shared/request/usage-event.ts';

/** An event in a table, with the present name of its key; null: it has none, or is not known any more. */
export type ExportedEvent = UsageEvent & { readonly keyName?: string | null };

type Column = keyof ExportedEvent;
const TOKENS: readonly Column[] = ['inputTokens', 'outputTokens', 'totalTokens'];
const COLUMNS = USAGE_EVENT_FIELDS.flatMap((field): Column[] => (field === 'keyId' ? [field, 'keyName'] : [field]));

/** A table of events: its first row, and the rows of some events. */
export interface UsageTable {
  readonly header: string;
  readonly rows: (events: readonly ExportedEvent[]) => string;
}

/** The table of events, with the columns of token counts or without. They are empty where no model is involved. */
export function usageTable({ tokens }: { readonly tokens: boolean }): UsageTable {
  const columns = tokens ? COLUMNS : COLUMNS.filter((name) => !TOKENS.includes(name));
  return { header: csvHeader(columns), rows: (events) => csvRows(columns, events) };
}
