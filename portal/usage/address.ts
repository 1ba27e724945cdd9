import type { UsageEvent } from '../api/schemas.ts';
import { OUTCOMES } from '../requests/outcomes.ts';
import { RANGES, type Range } from './ranges.ts';

/** The view of a project's usage or requests. All of it is in the address, to be kept and shared. */
export interface UsageView {
  readonly range: Range;
  /** The figures that are shown as tables. */
  readonly tables: readonly Figure[];
  readonly keyId: string | undefined;
  readonly event: UsageEvent['event'] | undefined;
  readonly code: string | undefined;
  /** The client's own id of requests. */
  readonly clientRequestId: string | undefined;
  /** Requests from this time on, and before that one: ISO 8601 in UTC. */
  readonly since: string | undefined;
  readonly until: string | undefined;
  readonly isLive: boolean;
  /** The opened request, and when it was received. */
  readonly requestId: string | undefined;
}

/**
 * What of a view changes. A function gets the view of the address, which may be a change ahead of what is shown: one
 * that depends on the view depends on that one.
 */
export type ViewChange = Partial<UsageView> | ((present: UsageView) => Partial<UsageView>);

export type Figure = 'outcomes' | 'latency' | 'quota';

const FIGURES: readonly Figure[] = ['outcomes', 'latency', 'quota'];

/** The change of a view that removes all filters. */
export const NO_FILTER = {
  keyId: undefined,
  event: undefined,
  code: undefined,
  clientRequestId: undefined,
  since: undefined,
  until: undefined,
};

/** The default view. */
export const PLAIN_VIEW: UsageView = {
  ...NO_FILTER,
  range: '24h',
  tables: [],
  isLive: true,
  requestId: undefined,
};

/** The view of an address. Invalid values are ignored: an old or mistyped address still shows something. */
export function viewOf(search: string): UsageView {
  const parameters = new URLSearchParams(search);
  const matching = (name: string, pattern: RegExp): string | undefined => {
    const value = parameters.get(name);
    return value !== null && pattern.test(value) ? value : undefined;
  };
  const time = (name: string): string | undefined => {
    const ms = Date.parse(matching(name, /^\d{4}-\d\d-\d\dT[\d:.]{5,12}Z$/) ?? '');
    return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
  };
  const [since, until] = [time('since'), time('until')];
  const isReversed = since !== undefined && until !== undefined && since >= until;
  const tables = parameters.get('tables')?.split(',') ?? [];
  return {
    range: RANGES.find(([range]) => range === parameters.get('range'))?.[0] ?? PLAIN_VIEW.range,
    tables: FIGURES.filter((figure) => tables.includes(figure)),
    keyId: matching('key', /^key_[0-9A-Za-z]{16}$/),
    event: OUTCOMES.find(({ event }) => event === parameters.get('event'))?.event,
    code: matching('code', /^[A-Z_]{1,64}$/),
    clientRequestId: matching('client', /^.{1,128}$/su),
    since: isReversed ? undefined : since,
    until: isReversed ? undefined : until,
    isLive: parameters.get('live') !== 'off',
    requestId: matching('request', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  };
}

const OF_REQUESTS = ['key', 'event', 'code', 'client', 'since', 'until', 'live', 'request'];

/** Whether an address of the page Usage asks for requests, which were on that page once. */
export const asksForRequests = (search: string, hash: string): boolean => {
  const parameters = new URLSearchParams(search);
  return hash === '#requests' || OF_REQUESTS.some((name) => parameters.has(name));
};

/** The address's query of a view, with its question mark; empty for the plain one. */
export function searchOf(view: UsageView): string {
  const parameters = new URLSearchParams();
  const put = (name: string, value: string | undefined): void => {
    if (value !== undefined && value !== '') parameters.set(name, value);
  };
  put('range', view.range === PLAIN_VIEW.range ? undefined : view.range);
  put('tables', view.tables.join(','));
  put('key', view.keyId);
  put('event', view.event);
  put('code', view.code);
  put('client', view.clientRequestId);
  put('since', view.since);
  put('until', view.until);
  put('live', view.isLive ? undefined : 'off');
  put('request', view.requestId);
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}
