import type { AccountStore } from '../../accounts/store/account-store.ts';
import { keyNames, MAX_NAMED_KEYS, withKeyNames } from '../../accounts/names.ts';
import { growingTable, MAX_PART_RECORDS, type CsvPart } from '../../shared/csv-part.ts';
import { usageTable } from './csv.ts';
import { LEAST_LEFT_MS, NO_DEADLINE } from '../../shared/store/client.ts';
import { completeRecent, positionOf, readRecent, type EventFilter, type Position, type Reading } from './recent.ts';

/** Which of a project's events are exported. */
type ExportFilter = Pick<EventFilter, 'span' | 'equal' | 'before'>;

/** Reads the first page of a part, in one query. */
export const beginPart = (store: AccountStore, projectId: string, filter: ExportFilter): Promise<Reading> =>
  readRecent(store, projectId, { ...filter, limit: MAX_PART_RECORDS, maxRead: MAX_PART_RECORDS });

/**
 * Continues a part from its first page: as many events as fit in a part and its answer, are within the limit of reads,
 * and before the deadline. Each has the name of its key.
 */
export async function completePart(
  store: AccountStore,
  projectId: string,
  filter: ExportFilter,
  begun: Reading,
): Promise<CsvPart<Position>> {
  const { deadline = NO_DEADLINE } = store;
  const table = growingTable({ ...usageTable({ tokens: true }), positionOf });
  const namesOf = keyNames(store, MAX_NAMED_KEYS);
  let reading = begun;
  let wanted: EventFilter = { ...filter, limit: MAX_PART_RECORDS };
  for (let left = MAX_PART_RECORDS; ;) {
    const { events, next } = await completeRecent(store, projectId, wanted, reading);
    // Events without their names are left to the next part.
    if (table.count() > 0 && deadline.leftMs() < LEAST_LEFT_MS) return { csv: table.text(), next: wanted.before };
    const cut = table.add(withKeyNames(events, await namesOf(events)));
    left -= reading.lookedAt;
    const isEnough = left <= 0 || table.count() === MAX_PART_RECORDS || deadline.leftMs() < LEAST_LEFT_MS;
    if (cut !== undefined || next === undefined || isEnough) return { csv: table.text(), next: cut ?? next };
    wanted = { ...filter, before: next, limit: MAX_PART_RECORDS - table.count(), maxRead: left };
    reading = await readRecent(store, projectId, wanted);
  }
}
