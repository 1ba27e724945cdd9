import { isoTime, MS_PER_DAY } from '../core/clock.ts';
import type { UsageEvent } from '../core/usage-event.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { eventKey, type TimeSpan } from '../store/items.ts';
import { usageQuery } from './log.ts';
import { matching, readBetween, readEvents, readThinned, type Reading } from './recent.ts';

/** How far back an event is searched: as long as refusals are kept. */
const LOOKED_BACK_MS = 30 * MS_PER_DAY;
/** The number of parallel queries after the first one. Each reads 1 MB of events, some 3,000. */
const SLICES = 8;

/**
 * Searches the event of a request among the newest of a project, in one query of at most 1 MB. No index has request
 * ids: the engine reads every event on the way.
 */
export const findRecent = (store: AccountStore, projectId: string, requestId: string): Promise<Reading> =>
  find(store, projectId, requestId, {});

/**
 * Searches the event of a request by its time of receipt: under its own key, and among the refusals before admission of
 * its minute. Two small queries in parallel, however old it is.
 */
export async function findAt(
  store: AccountStore,
  projectId: string,
  requestId: string,
  occurredAtMs: number,
): Promise<UsageEvent | undefined> {
  const { sk } = eventKey({ projectId, requestId, occurredAt: isoTime(occurredAtMs) });
  const found = await Promise.all([
    // The key contains the request id.
    readBetween(store, projectId, {}, [sk, sk]),
    readThinned(store, projectId, { requestId }, sk),
  ]);
  return found.flat()[0];
}

/**
 * Searches it further back, for up to 30 days and a bounded number of events, in parallel queries. Undefined: it was
 * not found.
 */
export async function findOlder(
  store: AccountStore,
  projectId: string,
  requestId: string,
  { events: [recent], frontier }: Reading,
): Promise<UsageEvent | undefined> {
  if (recent || frontier === undefined) return recent;
  const untilMs = Date.parse(frontier.slice(0, 'YYYY-MM-DDTHH:MM:SS.mmmZ'.length)) + 1;
  const sinceMs = store.clock.now() - LOOKED_BACK_MS;
  const stepMs = Math.max(1, Math.ceil((untilMs - sinceMs) / SLICES));
  // Empty when the first query reached further back.
  const spans = Array.from({ length: Math.ceil((untilMs - sinceMs) / stepMs) }, (_, slice): TimeSpan => {
    const endMs = untilMs - slice * stepMs;
    return { sinceMs: endMs - stepMs, untilMs: endMs };
  });
  const found = await Promise.all(spans.map((span) => find(store, projectId, requestId, span)));
  return found.flatMap(({ events }) => events)[0];
}

function find(store: AccountStore, projectId: string, requestId: string, span: TimeSpan): Promise<Reading> {
  const query = usageQuery(store, projectId, span);
  const wanted = matching(store, { requestId }, query.ExpressionAttributeValues);
  return readEvents(store, { ...query, ...wanted, ScanIndexForward: false });
}
