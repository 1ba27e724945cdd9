import type { QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { MS_PER_MINUTE, MS_PER_SECOND } from '../core/clock.ts';
import type { Period } from '../core/period.ts';
import type { UsageEvent } from '../core/usage-event.ts';
import { ControlPlaneError, type ControlPlane } from './control-plane.ts';
import { readQuotaUsed, requireProject } from './projects.ts';
import { names } from './table-items.ts';
import { boundsAsText, type TimeSpan } from './time-span.ts';
import { usagePages } from './usage-pages.ts';

/** Whether the ledger's invariant holds for one project and period. */
export interface LedgerVerification {
  /** Whether the sum of the events lies between the counter's values before and after summing. */
  readonly consistent: boolean;
  /** Units on the quota counter, read last. */
  readonly quotaUsed: number;
  /** Sum of the units of the period's usage events. */
  readonly ledgerUnits: number;
}

/** The usage events of a project, oldest first, read page by page. Throws `ControlPlaneError` for an unknown project. */
export async function* listUsage(plane: ControlPlane, projectId: string, span: TimeSpan): AsyncGenerator<UsageEvent> {
  await requireProject(plane, projectId);
  // Each minute is put in order by itself: see `usageQuery`.
  let minute: UsageEvent[] = [];
  for await (const { events } of usagePages(plane.client, usageQuery(plane, projectId, span))) {
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
 * A query for the items that hold a span's events, and some of the minute before its beginning: the events of refusals
 * before admission are stored at the start of their minute (`oncePerMinuteKey`).
 */
export const usageQuery = (plane: ControlPlane, projectId: string, { sinceMs, untilMs }: TimeSpan): QueryCommandInput =>
  eventQuery(plane, projectId, { untilMs, sinceMs: sinceMs === undefined ? undefined : startOfMinute(sinceMs) });

/** Whether an event happened in a span. */
export function isWithin({ occurredAt }: UsageEvent, { sinceMs = -Infinity, untilMs = Infinity }: TimeSpan): boolean {
  const occurredAtMs = Date.parse(occurredAt);
  return sinceMs <= occurredAtMs && occurredAtMs < untilMs;
}

/**
 * Holds the quota counter of a period against the sum of its events. Correct while traffic goes on: the counter is read
 * before and after. Throws `ControlPlaneError` for an unknown project, and for a period of the wrong length.
 */
export async function verifyLedger(
  plane: ControlPlane,
  projectId: string,
  period: Period,
): Promise<LedgerVerification> {
  await requireProject(plane, projectId);
  const first = await compareOnce(plane, projectId, period);
  // Plain reads can see a transaction half applied; what is still wrong at a second look is wrong.
  return first.consistent ? first : compareOnce(plane, projectId, period);
}

async function compareOnce(plane: ControlPlane, projectId: string, period: Period): Promise<LedgerVerification> {
  const before = await readQuotaUsed(plane, projectId, period.id);
  // An event's time and period come from one clock reading, so the period's events lie within its bounds.
  const span = { sinceMs: period.startsAtMs, untilMs: period.endsAtEpochSeconds * MS_PER_SECOND };
  let ledgerUnits = 0;
  let otherPeriod: string | undefined;
  for await (const { events } of usagePages(plane.client, eventQuery(plane, projectId, span))) {
    for (const event of events) {
      if (event.period === period.id) ledgerUnits += event.units;
      else if (event.units !== 0) otherPeriod = event.period;
    }
  }
  const after = await readQuotaUsed(plane, projectId, period.id);
  if (otherPeriod !== undefined && ledgerUnits === 0 && after === 0) {
    throw new ControlPlaneError(
      `Units were charged to ${otherPeriod}, none to ${period.id}: set QUOTA_PERIOD to match.`,
    );
  }
  return { consistent: before <= ledgerUnits && ledgerUnits <= after, quotaUsed: after, ledgerUnits };
}

/** A query for the events of a span. Every sort key begins with a time, so the bounds compare as text. */
const eventQuery = ({ tables }: ControlPlane, projectId: string, span: TimeSpan): QueryCommandInput => {
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
