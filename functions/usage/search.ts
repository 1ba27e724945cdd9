import type { UsageEvent } from '../core/usage-event.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { requireProject } from '../accounts/stored-projects.ts';
import type { TimeSpan } from '../store/items.ts';
import { isWithin, usageQuery } from './log.ts';
import { usagePages } from './pages.ts';

/** What a search came to. */
export interface UsageSearch {
  /** Undefined: there is none. */
  readonly event: UsageEvent | undefined;
  /** How many stored events were looked at, also of the page that it was found on. */
  readonly searched: number;
}

/**
 * Looks for the event of a request, from the newest event on, page by page until it is found. No index knows request
 * ids, so the engine reads, and charges for, every event on the way. Not by `listUsage`: one event needs no order, and
 * the rest need not leave the engine. Throws `RefusedError` for an unknown project.
 */
export async function findUsage(
  store: AccountStore,
  projectId: string,
  requestId: string,
  span: TimeSpan,
): Promise<UsageSearch> {
  await requireProject(store, projectId);
  const { ExpressionAttributeValues, ...query } = usageQuery(store, projectId, span);
  const pages = usagePages(store.client, {
    ...query,
    // Its name is among those of every page.
    FilterExpression: '#requestId = :requestId',
    ExpressionAttributeValues: { ...ExpressionAttributeValues, ':requestId': requestId },
    ScanIndexForward: false,
  });
  let searched = 0;
  for await (const { events, scanned } of pages) {
    searched += scanned;
    const event = events.find((found) => isWithin(found, span));
    if (event) return { event, searched };
  }
  return { event: undefined, searched };
}
