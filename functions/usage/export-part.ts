import type { AccountStore } from '../accounts/account-store.ts';
import { csvHeader, csvRows } from '../core/usage-csv.ts';
import type { UsageEvent } from '../core/usage-event.ts';
import { REQUEST_TIMEOUT_MS, NO_DEADLINE } from '../store/client.ts';
import { completeRecent, positionOf, readRecent, type EventFilter, type Position, type Reading } from './recent.ts';

/** The most events in one part, and the most that are read for it. */
const MAX_EVENTS = 10_000;
/**
 * Lambda answers at most 6 MB (AWS, "Lambda quotas"), counted as JSON with the part as one text. The rest is a reserve.
 */
const MAX_BYTES = 5_500_000;
/** Events that are converted to text at once: some 60 kB. */
const EVENTS_PER_PIECE = 250;
/** With less time left than this, no further read begins: it could take all of it. */
const LEAST_LEFT_MS = 2 * REQUEST_TIMEOUT_MS;

/** Which of a project's events are exported. */
type ExportFilter = Pick<EventFilter, 'span' | 'equal' | 'before'>;

/** Some of a project's events, newest first, as a table with its header. */
export interface ExportPart {
  readonly csv: string;
  /** The position before which there may be more; undefined: there are none. */
  readonly next: Position | undefined;
}

/** Reads the first page of a part, in one query. */
export const beginPart = (store: AccountStore, projectId: string, filter: ExportFilter): Promise<Reading> =>
  readRecent(store, projectId, { ...filter, limit: MAX_EVENTS, lookAt: MAX_EVENTS });

/**
 * Continues a part from its first page: as many events as fit in a part and its answer, are within the limit of reads,
 * and before the deadline.
 */
export async function completePart(
  store: AccountStore,
  projectId: string,
  filter: ExportFilter,
  begun: Reading,
): Promise<ExportPart> {
  const { deadline = NO_DEADLINE } = store;
  const table = growingTable();
  let reading = begun;
  let wanted: EventFilter = { ...filter, limit: MAX_EVENTS };
  for (let left = MAX_EVENTS; ;) {
    const { events, next } = await completeRecent(store, projectId, wanted, reading);
    const cut = table.add(events);
    left -= reading.lookedAt;
    const isEnough = left <= 0 || table.count() === MAX_EVENTS || deadline.leftMs() < LEAST_LEFT_MS;
    if (cut !== undefined || next === undefined || isEnough) return { csv: table.text(), next: cut ?? next };
    wanted = { ...filter, before: next, limit: MAX_EVENTS - table.count(), lookAt: left };
    reading = await readRecent(store, projectId, wanted);
  }
}

/** A table that accepts events while they fit into an answer. */
function growingTable() {
  let csv = csvHeader();
  let bytes = 0;
  let count = 0;
  let last: UsageEvent | undefined;
  return {
    /** Adds events in order. Undefined: all were added; else the position of the last one that was added. */
    add: (events: readonly UsageEvent[]): Position | undefined => {
      for (let i = 0; i < events.length; i += EVENTS_PER_PIECE) {
        const piece = events.slice(i, i + EVENTS_PER_PIECE);
        const rows = csvRows(piece);
        bytes += Buffer.byteLength(JSON.stringify(rows));
        if (bytes > MAX_BYTES && last) return positionOf(last);
        csv += rows;
        count += piece.length;
        last = piece.at(-1);
      }
      return undefined;
    },
    count: () => count,
    text: () => csv,
  };
}
