import { queryOptions } from '@tanstack/react-query';
import { daysSince, spanOf, withEmptyBuckets, type Range } from '../usage/ranges.ts';
import { answer, api } from './client.ts';
import { nowMs } from './clock.ts';
import { readPart } from './csv-part.ts';
import { openPages } from './open-pages.ts';
import { PortalError } from './problem.ts';
import { ATTENTION_MS, FRESH_MS, SLOWLY_MS, type ProjectIds } from './queries.ts';
import type { UsageEvent } from './schemas.ts';

/** The filter of requests. Without any: all of them. */
export interface RequestFilter {
  readonly event?: UsageEvent['event'];
  readonly keyId?: string;
  readonly code?: string;
  readonly clientRequestId?: string;
  readonly since?: string;
  readonly until?: string;
}

/** How often the list of requests is read again. A ping is shown within 5 s, far from the limit of reads. */
const LIVE_MS = 3_000;
/**
 * How long after an incomplete sum the portal is asked to continue. With the live list this stays below the limit of
 * reads.
 */
const GO_ON_MS = 2_000;

/** How often counter and events are compared again while the result is undecided: few of the reads of a minute. */
const COMPARE_MS = 6_000;

const USAGE = '/api/accounts/{accountId}/projects/{projectId}/usage';
const EVENTS = '/api/accounts/{accountId}/projects/{projectId}/events';

const keyOf = ({ accountId, projectId }: ProjectIds, ...rest: unknown[]): unknown[] => {
  const project: unknown[] = ['account', accountId, 'projects', projectId];
  return project.concat(rest);
};

/** The sums of the requests in a range. Read again at once while they are not complete. */
export const usageQuery = (ids: ProjectIds, range: Range, period: string, keyId: string | undefined) =>
  queryOptions({
    queryKey: keyOf(ids, 'usage', range, period, keyId),
    queryFn: ({ signal }) => {
      const query = { ...spanOf(range, period, nowMs()), ...(keyId !== undefined && { keyId }) };
      return answer(api.GET(USAGE, { params: { path: ids, query }, signal })).then(withEmptyBuckets);
    },
    staleTime: FRESH_MS,
    refetchInterval: ({ state: { data, error } }) => waitingFor(error, data?.complete === false ? GO_ON_MS : SLOWLY_MS),
  });

/** Requests and units by key in a range, or in the days of a list of keys. */
export const usageByKeyQuery = (ids: ProjectIds, range: Range | 'days', period: string) =>
  queryOptions({
    queryKey: keyOf(ids, 'usage', range, period, 'by key'),
    queryFn: ({ signal }) => {
      const atMs = nowMs();
      const since = range === 'days' ? daysSince(period, atMs) : spanOf(range, period, atMs).since;
      return answer(api.GET(USAGE, { params: { path: ids, query: { since, by: 'key' } }, signal }));
    },
    staleTime: FRESH_MS,
    // The list of keys is read so often with its newest requests that its sums have to be read more seldom.
    refetchInterval: ({ state: { data, error } }) =>
      waitingFor(error, data?.complete === false ? GO_ON_MS : range === 'days' ? ATTENTION_MS : SLOWLY_MS),
  });

/** Whether the counter of the present period equals its events. Compared once, and again only while it is undecided. */
export const ledgerQuery = (ids: ProjectIds) =>
  queryOptions({
    queryKey: keyOf(ids, 'ledger'),
    queryFn: ({ signal }) =>
      answer(api.GET('/api/accounts/{accountId}/projects/{projectId}/ledger', { params: { path: ids }, signal })),
    staleTime: SLOWLY_MS,
    refetchInterval: ({ state: { data, error } }) => data?.state === 'counting' && waitingFor(error, COMPARE_MS),
  });

/** The statement of a period as CSV. Throws STILL_COUNTING while sums are missing; each request adds some. */
export const readStatement = (ids: ProjectIds, period: string, signal: AbortSignal): Promise<string> => {
  const params = { path: ids, query: { period } };
  const path = '/api/accounts/{accountId}/projects/{projectId}/statement.csv';
  return answer(api.GET(path, { params, parseAs: 'text', signal }));
};

/**
 * The last 24 hours for a page of many projects. They are read again so seldom that all stay below the limit of reads.
 */
export const dayQuery = (ids: ProjectIds, period: string) =>
  queryOptions({
    ...usageQuery(ids, '24h', period, undefined),
    staleTime: SLOWLY_MS,
    refetchInterval: ({ state: { data, error } }) =>
      waitingFor(error, data?.complete === false ? SLOWLY_MS : ATTENTION_MS),
  });

/** The newest requests of a project, at most `limit`; read again every few seconds while `isLive`. */
export const requestsQuery = (ids: ProjectIds, filter: RequestFilter, limit: number, isLive: boolean) =>
  queryOptions({
    queryKey: keyOf(ids, 'events', filter, limit),
    queryFn: ({ signal }) => readEvents(ids, { ...filter, limit }, signal),
    refetchInterval: ({ state }) => isLive && waitingFor(state.error, LIVE_MS),
  });

/** How many of the newest requests tell of each key how its last one ended, and how often they are read. */
const [LAST_ANSWERS, LAST_ANSWERS_MS] = [25, 5_000];

/** The newest requests of a project, for its list of keys: read more seldom than a list of requests, since more of them. */
export const lastAnswersQuery = (ids: ProjectIds) =>
  queryOptions({
    ...requestsQuery(ids, {}, LAST_ANSWERS, true),
    refetchInterval: ({ state }) => waitingFor(state.error, LAST_ANSWERS_MS),
  });

/** A page of a project's requests, newest first. */
export const readEvents = (
  ids: ProjectIds,
  query: RequestFilter & { limit: number; cursor?: string },
  signal?: AbortSignal,
) => answer(api.GET(EVENTS, { params: { path: ids, query }, signal: signal ?? null }));

/** One request, which does not change any more. */
export const eventQuery = (ids: ProjectIds, requestId: string) =>
  queryOptions({
    queryKey: keyOf(ids, 'event', requestId),
    queryFn: ({ signal }) =>
      answer(api.GET(`${EVENTS}/{requestId}`, { params: { path: { ...ids, requestId } }, signal })),
    staleTime: Infinity,
  });

/** The same with its cause, which the list of requests does not tell. */
export const causeQuery = (ids: ProjectIds, requestId: string) =>
  queryOptions({
    ...eventQuery(ids, requestId),
    queryKey: keyOf(ids, 'cause', requestId),
  });

/** One request, in any project of the person. */
export const foundRequestQuery = (requestId: string) =>
  queryOptions({
    queryKey: ['request', requestId],
    queryFn: ({ signal }) => answer(api.GET('/api/requests/{requestId}', { params: { path: { requestId } }, signal })),
    staleTime: Infinity,
  });

/** At the usual interval of one page, or a longer one when the portal asks for it. Several pages share it. */
const waitingFor = (error: Error | null, usualMs: number): number =>
  Math.max(usualMs * openPages(), (error instanceof PortalError ? (error.retryAfterSeconds ?? 0) : 0) * 1_000);

/** A part of a project's requests as CSV, and the cursor of the next part. Null: this was the last. */
export async function readCsv(ids: ProjectIds, query: RequestFilter & { cursor?: string }, signal: AbortSignal) {
  const params = { path: ids, query };
  return readPart(signal, (options) => api.GET(`${EVENTS}.csv`, { params, ...options }));
}
