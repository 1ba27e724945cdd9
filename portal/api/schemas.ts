import type { components } from './types.ts';

/** The attributes of a key, without the key itself. */
export type Key = components['schemas']['Key'];
/** The same, with the key's usage. */
export type KeyDetails = components['schemas']['KeyDetails'];
/** The usage event of one request. */
export type UsageEvent = components['schemas']['Event'];
/** A request, with its account and project. */
export type FoundRequest = components['schemas']['FoundRequest'];
/** The counter and the events of a period, compared. */
export type LedgerCheck = components['schemas']['LedgerCheck'];
/** The sums of the requests in a span. */
export type Usage = components['schemas']['Usage'];
