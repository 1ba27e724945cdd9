import type { components } from './types.ts';

/** What one request did to the ledger. */
export type UsageEvent = components['schemas']['Event'];
/** A request, and where it is. */
export type FoundRequest = components['schemas']['FoundRequest'];
/** What the counter of a period and its events show. */
export type LedgerCheck = components['schemas']['LedgerCheck'];
/** What the requests of a span come to. */
export type Usage = components['schemas']['Usage'];
