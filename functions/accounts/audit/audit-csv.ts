import { csvHeader, csvRows } from '../../shared/csv.ts';
import { growingTable, MAX_PART_RECORDS, type CsvPart } from '../../shared/csv-part.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import { LEAST_LEFT_MS, NO_DEADLINE } from '../../shared/store/client.ts';
import type { AccountStore } from '../store/account-store.ts';
import type { AuditValues } from '../authority/audit.ts';
import { keyNames, MAX_NAMED_KEYS, projectNames, type NamesById } from '../names.ts';
import {
  auditPage,
  peopleOf,
  readRecentAudit,
  type AccountAuditEvent,
  type AuditFilter,
  type AuditReading,
  type Position,
} from './recent-audit.ts';
import type { StoredMember } from '../team/stored-members.ts';

/** The number of events that one query of a part reads. */
const READ_AT_ONCE = 1_000;

const COLUMNS = [
  ...(['at', 'action', 'actor', 'actorEmail', 'actorKind', 'actorId'] as const),
  ...([
    'projectId',
    'projectName',
    'keyId',
    'keyName',
    'memberId',
    'memberName',
    'memberEmail',
    'endpointId',
    'tokenId',
  ] as const),
  ...(['before', 'after'] as const),
];

type Row = Record<(typeof COLUMNS)[number], string | null>;
interface Positioned {
  readonly position: Position;
  readonly row: Row;
}

/** Which of an account's events are exported. */
type ExportFilter = Omit<AuditFilter, 'limit'>;

/** Reads the first page of a part, in one query. */
export const beginAuditPart = (store: AccountStore, accountId: string, filter: ExportFilter): Promise<AuditReading> =>
  readRecentAudit(store, accountId, { ...filter, limit: READ_AT_ONCE });

/**
 * Continues a part of an account's audit as a table from its first page, newest first: as many events as fit in a part
 * and its answer, are within the limit of reads, and before the deadline. Values before and after are JSON. Names are
 * those of today.
 */
export async function completeAuditPart(
  store: AccountStore,
  accountId: string,
  asked: ExportFilter,
  members: readonly StoredMember[],
  begun: AuditReading,
): Promise<CsvPart<Position>> {
  const { deadline = NO_DEADLINE } = store;
  const table = growingTable<Positioned, Position>({
    header: csvHeader(COLUMNS),
    rows: (records) =>
      csvRows(
        COLUMNS,
        records.map(({ row }) => row),
      ),
    positionOf: ({ position }) => position,
  });
  const namePeople = peopleOf(store, members);
  const namesOf = keyNames(store, MAX_NAMED_KEYS);
  const nameProjects = projectNames(store, MAX_NAMED_KEYS);
  let { before } = asked;
  let reading = begun;
  for (let left = MAX_PART_RECORDS; ;) {
    const filter: AuditFilter = { ...asked, before, limit: READ_AT_ONCE };
    const page = auditPage(reading, members, filter);
    // Events without their names are left to the next part.
    if (table.count() > 0 && deadline.leftMs() < LEAST_LEFT_MS) return { csv: table.text(), next: before };
    const ofKeys = page.events.flatMap(({ projectId, keyId }) => (projectId && keyId ? [{ projectId, keyId }] : []));
    const [events, keys, projects] = await allFulfilled([
      namePeople(page.events),
      namesOf(ofKeys),
      nameProjects(page.events.flatMap(({ projectId }) => projectId ?? [])),
    ]);
    const rows = events.map((event, i) => ({ position: page.positions[i] ?? '', row: rowOf(event, keys, projects) }));
    const cut = table.add(rows);
    left -= reading.found.length;
    const isEnough = left <= 0 || deadline.leftMs() < LEAST_LEFT_MS;
    if (cut !== undefined || page.next === undefined || isEnough) return { csv: table.text(), next: cut ?? page.next };
    before = page.next;
    reading = await readRecentAudit(store, accountId, { ...filter, before });
  }
}

function rowOf({ before, after, ...event }: AccountAuditEvent, keys: NamesById, projects: NamesById): Row {
  return {
    ...event,
    projectName: projects.get(event.projectId ?? '') ?? null,
    keyName: keys.get(event.keyId ?? '') ?? null,
    before: textOf(before),
    after: textOf(after),
  };
}

const textOf = (values: AuditValues | null): string | null => values && JSON.stringify(values);
