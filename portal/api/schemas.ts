import type { components } from './types.ts';

/** What is known of a key; the key itself is not. */
export type Key = components['schemas']['Key'];
/** The same, with what the key has done. */
export type KeyDetails = components['schemas']['KeyDetails'];
/** What one request did to the ledger. */
export type UsageEvent = components['schemas']['Event'];
/** A request, and where it is. */
export type FoundRequest = components['schemas']['FoundRequest'];
/** What the counter of a period and its events show. */
export type LedgerCheck = components['schemas']['LedgerCheck'];
/** What the requests of a span come to. */
export type Usage = components['schemas']['Usage'];
