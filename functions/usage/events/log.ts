import { MS_PER_MINUTE } from '../../shared/time.ts';
import { USAGE_EVENT_FIELDS, type UsageEvent } from '../../shared/request/usage-event.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { requireProject } from '../../accounts/projects/stored-projects.ts';
import { boundsAsText, type TimeSpan } from '../../shared/store/items.ts';
import { queryOf } from '../../shared/store/tables.ts';
import { asking, EVENTS_PER_PAGE, queryPages, toEvent } from './pages.ts';

/** The usage events of a project, oldest first, read page by page. Throws `RefusedError` for an unknown project. */
export async function* listUsage(store: AccountStore, projectId: string, span: TimeSpan): AsyncGenerator<UsageEvent> {
  await requireProject(store, projectId);
  // Each minute is sorted by itself: see `usageQuery`.
  let minute: UsageEvent[] = [];
  // Without keys and TTL, which are a fifth of the data.
  const query = { ...asking(usageQuery(store, projectId, span), USAGE_EVENT_FIELDS), Limit: EVENTS_PER_PAGE };
  for await (const { items } of queryPages<UsageEvent>(store, query)) {
    for (const event of items.map(toEvent)) {
      if (!isWithin(event, span)) continue;
      if (minute[0] && minuteOf(minute[0]) !== minuteOf(event)) {
        yield* inOrder(minute);
        minute = [];
      }
      minute.push(event);
    }
  }
  yield* inOrder(minute);
}

/**
 * A query for the items of a span's events, and some of the minute before it: refusals before admission are stored at
 * the start of their minute (`oncePerMinuteKey`).
 */
export const usageQuery = (store: AccountStore, projectId: string, { sinceMs, untilMs }: TimeSpan) =>
  eventsWithin(store, projectId, { untilMs, sinceMs: sinceMs === undefined ? undefined : startOfMinute(sinceMs) });

/** Whether an event happened in a span. */
export function isWithin({ occurredAt }: UsageEvent, { sinceMs = -Infinity, untilMs = Infinity }: TimeSpan): boolean {
  const occurredAtMs = Date.parse(occurredAt);
  return sinceMs <= occurredAtMs && occurredAtMs < untilMs;
}

/** A query for the events of a span. Every sort key begins with a time, so the bounds compare as text. */
export const eventsWithin = ({ tables }: AccountStore, projectId: string, span: TimeSpan) =>
  queryOf(tables.usage, projectId, boundsAsText(span));

const startOfMinute = (epochMs: number): number => epochMs - (epochMs % MS_PER_MINUTE);

const minuteOf = ({ occurredAt }: UsageEvent): string => occurredAt.slice(0, 'YYYY-MM-DDTHH:MM'.length);

const inOrder = (events: UsageEvent[]): UsageEvent[] =>
  events.sort((a, b) => (a.occurredAt === b.occurredAt ? 0 : a.occurredAt < b.occurredAt ? -1 : 1));
