import type { UsageEvent } from '../core/usage-event.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { requireProject } from '../accounts/stored-projects.ts';
import type { TimeSpan } from '../store/items.ts';
import { completeRecent, readRecent, type Position } from './recent.ts';

const PAGE = 1_000;

/**
 * The last `count` usage events of a project in a span, oldest first, in memory. It reads few events more than these.
 * Throws `RefusedError` for an unknown project.
 */
export async function readLastUsage(
  store: AccountStore,
  projectId: string,
  span: TimeSpan,
  count: number,
): Promise<UsageEvent[]> {
  await requireProject(store, projectId);
  const newestFirst: UsageEvent[] = [];
  let before: Position | undefined;
  do {
    const filter = { span, equal: {}, before, limit: Math.min(PAGE, count - newestFirst.length) };
    const page = await completeRecent(store, projectId, filter, await readRecent(store, projectId, filter));
    newestFirst.push(...page.events);
    before = page.next;
  } while (before !== undefined && newestFirst.length < count);
  return newestFirst.reverse();
}
