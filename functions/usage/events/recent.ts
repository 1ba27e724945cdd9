import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { MS_PER_SECOND } from '../../shared/time.ts';
import type { UsageEventName } from '../../shared/names.ts';
import { USAGE_EVENT_FIELDS, type UsageEvent } from '../../shared/request/usage-event.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { available, listed } from '../../shared/store/client.ts';
import { untilBefore, type TimeSpan } from '../../shared/store/items.ts';
import { callOptions, names } from '../../shared/store/tables.ts';
import { isWithin, usageQuery } from './log.ts';
import { asking, toEvent } from './pages.ts';
import { requireProject } from '../../accounts/projects/stored-projects.ts';

/** The default number of events that are read for one filtered page. */
const LOOKED_AT = 1_000;
/** Refusals before admission of one minute that a page can add: one for each key and code. */
const MAX_THINNED = 500;
const TIME = 'YYYY-MM-DDTHH:MM:SS.mmmZ';
const MINUTE = 'YYYY-MM-DDTHH:MM';

/** An event's position in its project: `<time>#<requestId>`, which sorts as text in the order of time. */
export type Position = string;

/** Attributes to filter events by. */
type Wanted = Partial<Record<keyof UsageEvent, string | undefined>>;

/** A filter for a project's events. */
export interface EventFilter {
  readonly span: TimeSpan;
  /** Only those with these values. */
  readonly equal: Wanted;
  /** None of these kinds. */
  readonly without?: readonly UsageEventName[];
  /** Only those before this position. */
  readonly before?: Position | undefined;
  readonly limit: number;
  /** The most events that are read for the result. */
  readonly maxRead?: number;
  /** Read at half the cost, some moments late. */
  readonly isEventual?: true;
}

/** Some of a project's events, newest first. */
export interface RecentEvents {
  readonly events: readonly UsageEvent[];
  /** The position before which there may be more; undefined: there are none. */
  readonly next: Position | undefined;
}

/** The result of a first read. {@link completeRecent} makes a page of it. */
export interface Reading {
  readonly events: readonly UsageEvent[];
  /** Everything down to this position was read, except what {@link completeRecent} adds; undefined: everything. */
  readonly frontier: Position | undefined;
  /** How many events the engine read. */
  readonly lookedAt: number;
}

/** Reads the newest events of a project, in one query that reads a bounded number of them. */
export async function readRecent(store: AccountStore, projectId: string, filter: EventFilter): Promise<Reading> {
  const { equal, without = [], before, limit, span, maxRead = LOOKED_AT, isEventual } = filter;
  const query = usageQuery(store, projectId, span);
  const isFiltered = without.length > 0 || Object.values(equal).some((value) => value !== undefined);
  const values = query.ExpressionAttributeValues as Record<':pk' | ':since' | ':until', string>;
  // Refusals that are stored at the start of the position's minute may have happened before the position.
  const time = before?.slice(0, TIME.length);
  const atMinute = time?.endsWith(':00.000Z');
  const bound = atMinute ? `${time}#~` : before;
  const wanted = matching(store, equal, {
    ...values,
    ...Object.fromEntries(without.map((kind) => [`:${kind}`, kind])),
    ':until': untilBefore({ since: values[':since'], until: values[':until'] }, bound),
  });
  return readEvents(store, {
    ...query,
    ...wanted,
    FilterExpression: [wanted.FilterExpression, ...without.map((kind) => `#event <> :${kind}`)].join(' AND '),
    ConsistentRead: isEventual !== true,
    ScanIndexForward: false,
    // One more shows whether there are more.
    Limit: isFiltered ? maxRead : limit + 1 + (atMinute ? MAX_THINNED : 0),
  });
}

/**
 * Makes a page of a first read. Refusals before admission are stored at the start of their minute, before other events
 * of it that happened earlier. So those of the last minute are read separately.
 */
export async function completeRecent(
  store: AccountStore,
  projectId: string,
  { span, equal, before, limit }: EventFilter,
  { events, frontier }: Reading,
): Promise<RecentEvents> {
  const sampled = frontier === undefined ? [] : await readSampledRefusals(store, projectId, equal, frontier);
  const positions = new Map([...events, ...sampled].map((event) => [positionOf(event), event]));
  const wanted = [...positions]
    .filter(([position, event]) => isWithin(event, span) && (before === undefined || position < before))
    .filter(([position]) => frontier === undefined || position >= frontier)
    .sort(([one], [other]) => (one < other ? 1 : -1));
  const page = wanted.slice(0, limit);
  return { events: page.map(([, event]) => event), next: wanted.length > limit ? page.at(-1)?.[0] : frontier };
}

/** Reads the refusals before admission of the minute of a position. */
export const readSampledRefusals = (
  store: AccountStore,
  projectId: string,
  equal: Wanted,
  position: Position,
  ConsistentRead = true,
): Promise<readonly UsageEvent[]> => {
  const minute = `${startOfMinute(position)}#key_`;
  return readBetween(store, projectId, equal, [minute, `${minute}~`], ConsistentRead);
};

/** Reads a few events by their sort keys: from the first of the two up to and including the second. */
export async function readBetween(
  store: AccountStore,
  projectId: string,
  equal: Wanted,
  [since, until]: readonly [string, string],
  ConsistentRead = true,
): Promise<readonly UsageEvent[]> {
  const query = { ...usageQuery(store, projectId, {}), ConsistentRead };
  const values = { ...query.ExpressionAttributeValues, ':since': since, ':until': until };
  return (await readEvents(store, { ...query, ...matching(store, equal, values), Limit: MAX_THINNED })).events;
}

/** One query for events; the engine reads a bounded number. */
async function readEvents(store: AccountStore, query: QueryCommandInput): Promise<Reading> {
  const call = store.client.send(new QueryCommand(asking(query, USAGE_EVENT_FIELDS)), callOptions(store));
  const page = await available(call);
  const { LastEvaluatedKey, ScannedCount = 0 } = page;
  return {
    events: listed(page).map((item) => toEvent(item as unknown as UsageEvent)),
    frontier: LastEvaluatedKey && frontierAt(LastEvaluatedKey.sk as string),
    lookedAt: ScannedCount,
  };
}

/**
 * The position of a sort key. A refusal at the start of a minute is positioned after all other events of that moment.
 */
const frontierAt = (sortKey: string): Position => (sortKey.includes('#key_') ? `${startOfMinute(sortKey)}#g` : sortKey);

const startOfMinute = (position: Position): string => `${position.slice(0, MINUTE.length)}:00.000Z`;

/** Restricts a query to the filter, and to events that have not expired: TTL deletes days later. */
export function matching(
  { clock }: AccountStore,
  equal: Wanted,
  values: QueryCommandInput['ExpressionAttributeValues'],
): Pick<QueryCommandInput, 'FilterExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'> {
  const wanted = Object.entries(equal).filter(([, value]) => value !== undefined);
  return {
    FilterExpression: ['#ttl > :now', ...wanted.map(([name]) => `#${name} = :${name}`)].join(' AND '),
    ExpressionAttributeNames: names('pk', 'sk', 'ttl', ...wanted.map(([name]) => name)),
    ExpressionAttributeValues: {
      ...values,
      ...Object.fromEntries(wanted.map(([name, value]) => [`:${name}`, value])),
      ':now': Math.floor(clock.now() / MS_PER_SECOND),
    },
  };
}

/** The position of an event. */
export const positionOf = ({ occurredAt, requestId }: UsageEvent): Position => `${occurredAt}#${requestId}`;

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

/**
 * More than one event is read: refusals before admission are stored at the start of their minute, before other events
 * that happened earlier.
 */
const NEWEST_LOOKED_AT = 10;

/** The time of a project's newest request with an event; null: there is none. One query, of a few items. */
export async function readLastRequest(store: AccountStore, projectId: string): Promise<string | null> {
  const { events } = await readRecent(store, projectId, { span: {}, equal: {}, limit: NEWEST_LOOKED_AT });
  // Times sort as text.
  const times = events.map(({ occurredAt }) => occurredAt).sort();
  return times.at(-1) ?? null;
}
