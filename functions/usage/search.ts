import type { UsageEvent } from '../core/usage-event.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { requireProject } from '../accounts/stored-projects.ts';
import type { TimeSpan } from '../store/items.ts';
import { isWithin, usageQuery } from './log.ts';
import { usagePages } from './pages.ts';

/** The result of a search. */
export interface UsageSearch {
  /** Undefined: it was not found. */
  readonly event: UsageEvent | undefined;
  /** How many stored events were read, including those of the page with the result. */
  readonly searched: number;
}

/**
 * Searches the event of a request, beginning with the newest, page by page until it is found. No index has request ids,
 * so the engine reads, and charges for, every event on the way. It does not use `listUsage`: one event needs no order,
 * and the others can stay in the engine. Throws `RefusedError` for an unknown project.
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
    // The alias is defined for every page.
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
