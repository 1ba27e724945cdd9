import type { Event } from '../../functions/portal/contract/events.ts';

/** A key without the key itself, and with its usage. */
export type { Key, KeyDetails } from '../../functions/portal/contract/keys.ts';
/** The usage event of one request, and the same with its account and project. */
export type {
  Cause as RequestCause,
  Event as UsageEvent,
  FoundRequest,
} from '../../functions/portal/contract/events.ts';
/** The counter and the events of a period compared, and the sums of a span. */
export type { LedgerCheck, Usage } from '../../functions/portal/contract/usage.ts';
/** A request to show. */
export type RequestReference = Pick<Event, 'requestId'>;
