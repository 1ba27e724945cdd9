import * as v from 'valibot';
import { USAGE_EVENT_NAMES } from '../../shared/rules/usage/usage-event-name.ts';
import { AccountId, ProjectId, RequestId } from './ids.ts';
import { chargeLookup, eventCsvQuery, eventQuery } from './requests/events.ts';
import { integer, KeyId } from './requests/fields.ts';
import { AnyCursor } from './requests/lists.ts';
import { CHANGE_CODES, COUNTED_FIND_CODES, CsvPart, type PortalOperation } from './route.ts';
import { Count, MaybeText, Moment, NextCursor, textUpTo } from './values.ts';

/** Null: no model is connected. */
const Tokens = v.nullable(Count);

/** What one request did to the ledger. */
export const Event = v.strictObject({
  requestId: RequestId,
  projectId: ProjectId,
  keyId: KeyId,
  event: v.picklist(USAGE_EVENT_NAMES),
  /** Such as `sandbox.ping`. */
  operation: v.string(),
  /** Of the response. */
  status: integer(200, 599),
  /** Of the refusal, as in the gateway's contract. */
  code: MaybeText,
  /** Charged to the quota. */
  units: Count,
  /** The month or day, in UTC, that the units count in. */
  period: v.string(),
  /** From receipt to decision; the time to settle comes on top. */
  latencyMs: v.pipe(v.number(), v.minValue(0)),
  inputTokens: Tokens,
  outputTokens: Tokens,
  totalTokens: Tokens,
  /** The client's own name for the request. */
  clientRequestId: MaybeText,
  occurredAt: Moment,
  /** Of a replay and a conflict: the request of the same project whose response is stored. */
  originalRequestId: v.nullable(RequestId),
  /** Of a refusal, why, as its answer said; for people, and may change. */
  detail: v.nullable(textUpTo(200)),
  /** The request asked for its answer; absent from every other one. */
  simulated: v.exactOptional(v.literal(true)),
  /** What the caller's program calls itself, in printable ASCII; null: nothing, or it was not kept yet. */
  userAgent: v.nullable(textUpTo(60)),
  /** The caller's network address, or its network only, where the stage keeps it. */
  sourceAddress: v.nullable(textUpTo(45)),
});
export type Event = v.InferOutput<typeof Event>;

/** An event, and where it is. */
export const FoundRequest = v.strictObject({ accountId: AccountId, projectId: ProjectId, event: Event });
export type FoundRequest = v.InferOutput<typeof FoundRequest>;

/** Requests, newest first. A page reads a bounded number of items: it may be empty and still have a cursor. */
export const eventContract = {
  listEvents: {
    query: eventQuery(AnyCursor),
    answers: { 200: v.strictObject({ events: v.array(Event), cursor: NextCursor }) },
    refuses: [...COUNTED_FIND_CODES, 'INVALID_REQUEST'],
  },
  /** A part of at most 10,000. Keys have their present names beside them, at most 500; formulas are disarmed. */
  exportEvents: {
    query: eventCsvQuery(AnyCursor),
    answers: { 200: CsvPart },
    refuses: [...COUNTED_FIND_CODES, 'INVALID_REQUEST'],
  },
  /**
   * However old it is: its id holds the time of receipt. Of several refusals of one key with one code in a minute only
   * the first is kept: a later one is a 404, with those that were kept.
   */
  getEvent: { answers: { 200: Event }, refuses: COUNTED_FIND_CODES },
  /** In the projects of all accounts of the caller, 500 at most. Each fifty count as a read. */
  findRequest: { answers: { 200: FoundRequest }, refuses: COUNTED_FIND_CODES },
  /**
   * Whether a request was charged. The key is in the body, so that it is in no address and no log. It counts as a read.
   * A request under way is not seen.
   */
  lookUpCharge: {
    body: chargeLookup(v.string()),
    answers: {
      200: v.variant('state', [
        /** Null: the event has expired. */
        v.strictObject({ state: v.literal('charged'), original: v.nullable(Event), storedUntil: Moment }),
        /** No success is kept of the last 24 hours. */
        v.strictObject({ state: v.literal('none'), asOf: Moment }),
      ]),
    },
    refuses: [...CHANGE_CODES, 'NOT_FOUND'],
  },
} as const satisfies Record<string, PortalOperation>;
