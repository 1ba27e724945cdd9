import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { MS_PER_MINUTE } from '../shared/rules/clock.ts';
import type { UsageEvent } from '../shared/rules/usage/usage-event.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { requireProject } from '../accounts/projects/stored-projects.ts';
import { boundsAsText, type TimeSpan } from '../shared/store/items.ts';
import { names } from '../shared/store/tables.ts';
import { usagePages } from './pages.ts';

/** The usage events of a project, oldest first, read page by page. Throws `RefusedError` for an unknown project. */
export async function* listUsage(store: AccountStore, projectId: string, span: TimeSpan): AsyncGenerator<UsageEvent> {
  await requireProject(store, projectId);
  // Each minute is sorted by itself: see `usageQuery`.
  let minute: UsageEvent[] = [];
  for await (const { events } of usagePages(store.client, usageQuery(store, projectId, span))) {
    for (const event of events) {
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
export const usageQuery = (store: AccountStore, projectId: string, { sinceMs, untilMs }: TimeSpan): QueryCommandInput =>
  eventQuery(store, projectId, { untilMs, sinceMs: sinceMs === undefined ? undefined : startOfMinute(sinceMs) });

/** Whether an event happened in a span. */
export function isWithin({ occurredAt }: UsageEvent, { sinceMs = -Infinity, untilMs = Infinity }: TimeSpan): boolean {
  const occurredAtMs = Date.parse(occurredAt);
  return sinceMs <= occurredAtMs && occurredAtMs < untilMs;
}

/** A query for the events of a span. Every sort key begins with a time, so the bounds compare as text. */
export const eventQuery = ({ tables }: AccountStore, projectId: string, span: TimeSpan): QueryCommandInput => {
  const { since, until } = boundsAsText(span);
  return {
    TableName: tables.usage,
    KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :since AND :until',
    ExpressionAttributeNames: names('pk', 'sk'),
    ExpressionAttributeValues: {
      ':pk': projectId,
      ':since': since,
      ':until': until,
    },
    ConsistentRead: true,
  };
};

const startOfMinute = (epochMs: number): number => epochMs - (epochMs % MS_PER_MINUTE);

const minuteOf = ({ occurredAt }: UsageEvent): string => occurredAt.slice(0, 'YYYY-MM-DDTHH:MM'.length);

const inOrder = (events: UsageEvent[]): UsageEvent[] =>
  events.sort((a, b) => (a.occurredAt === b.occurredAt ? 0 : a.occurredAt < b.occurredAt ? -1 : 1));
