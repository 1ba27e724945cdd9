import * as v from 'valibot';
import { MAX_CLIENT_REQUEST_ID_CHARACTERS } from '../../shared/choices.ts';
import { isIdempotencyKey, maxCharacters } from '../../shared/http/input.ts';
import { REFUSING_ACTIONS } from '../../shared/audit-actions.ts';
import { USAGE_EVENT_NAMES } from '../../shared/names.ts';
import { ACTOR_KINDS } from './audit.ts';
import { integer, KeyId } from './fields.ts';
import { AccountId, formed, ProjectId, RequestId } from './ids.ts';
import { AnyCursor, type Continued, Limited, Span } from './lists.ts';
import { CsvPart, type PortalOperation } from './operation.ts';
import { Count, CountFromOne, MaybeText, Moment, NextCursor, textUpTo } from './values.ts';

/** The gateway's own bound. Characters that the gateway refuses are in no event. */
const CLIENT_ID_RULE = `Give a clientRequestId of 1 to ${MAX_CLIENT_REQUEST_ID_CHARACTERS} characters.`;

/** The filter: kind, key, code and the client's own id. */
const Wanted = v.object({
  event: v.optional(v.picklist(USAGE_EVENT_NAMES, `Give one of ${USAGE_EVENT_NAMES.join(', ')}.`)),
  keyId: v.optional(KeyId),
  code: v.optional(v.pipe(v.string(), v.regex(/^[A-Z_]{1,64}$/, 'Give a code of the gateway.'))),
  clientRequestId: v.optional(
    v.pipe(v.string(), v.nonEmpty(CLIENT_ID_RULE), maxCharacters(MAX_CLIENT_REQUEST_ID_CHARACTERS, CLIENT_ID_RULE)),
  ),
});

/** The query of the list. */
export const eventQuery = (cursor: Continued) => v.intersect([Span, Limited, cursor, Wanted]);
/** The query of the table. */
export const eventCsvQuery = (cursor: Continued) => v.intersect([Span, cursor, Wanted]);

const KEY_RULE = 'Give an Idempotency-Key: 1 to 255 visible ASCII characters.';
/** A question about a request; `operation`: those of the gateway. Default: all of them. */
export const chargeLookup = (operation: v.GenericSchema<string>) =>
  v.object({
    idempotencyKey: v.pipe(v.string(KEY_RULE), v.check(isIdempotencyKey, KEY_RULE)),
    operation: v.optional(operation),
  });

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
  /**
   * Tells whether two requests of the project had the same Idempotency-Key, without telling the key: it is a keyed hash.
   * Tags that differ in their first 3 characters were made under different secrets, and tell nothing. Null: no key was
   * sent. Absent from older requests: it was not kept yet.
   */
  idempotencyTag: v.exactOptional(v.nullable(formed(/^[0-9a-f]{8}$/))),
});
export type Event = v.InferOutput<typeof Event>;

/** The first request under the Idempotency-Key of a conflict, while its answer is stored. */
export const FirstRequest = v.strictObject({ requestId: RequestId, at: Moment });
/** Requests of a key that the rate limit refused in a UTC minute; `atLeast`: there may be more. */
export const RefusedInMinute = v.strictObject({
  count: CountFromOne,
  minute: Moment,
  atLeast: v.exactOptional(v.literal(true)),
});
/** A change by which a key or a project is refused: its action as in the audit, and its time. */
export const RefusingChange = v.strictObject({ action: v.picklist(REFUSING_ACTIONS), at: Moment });

const Cause = v.union([
  v.strictObject({
    ...RefusingChange.entries,
    /** As the audit names its actor; for members and viewers, who see no addresses, `a member` without a name. */
    by: v.string(),
    byKind: v.picklist(ACTOR_KINDS),
    /** For owners, where there is one. */
    byEmail: v.exactOptional(v.string()),
  }),
  FirstRequest,
  RefusedInMinute,
]);
export type Cause = v.InferOutput<typeof Cause>;
/** Why a request was refused; absent: nothing is known beside its event. */
const maybeCause = v.exactOptional(Cause);

const Request = v.strictObject({ ...Event.entries, cause: maybeCause });

/** An event, and where it is. */
export const FoundRequest = v.strictObject({
  accountId: AccountId,
  projectId: ProjectId,
  event: Event,
  cause: maybeCause,
});
export type FoundRequest = v.InferOutput<typeof FoundRequest>;

const OF_PROJECT = '/api/accounts/{accountId}/projects/{projectId}';

/** Requests, newest first. A page reads a bounded number of items: it may be empty and still have a cursor. */
export const eventContract = {
  listEvents: {
    route: `GET ${OF_PROJECT}/events`,
    by: 'viewer',
    query: eventQuery(AnyCursor),
    answers: { 200: v.strictObject({ events: v.array(Event), cursor: NextCursor }) },
  },
  /** A part of at most 10,000. Keys have their present names beside them, at most 500; formulas are disarmed. */
  exportEvents: {
    route: `GET ${OF_PROJECT}/events.csv`,
    by: 'viewer',
    query: eventCsvQuery(AnyCursor),
    answers: { 200: CsvPart },
  },
  /**
   * However old it is: its id holds the time of receipt. Of several refusals of one key with one code in a minute only
   * the first is kept: a later one is a 404, with those that were kept.
   */
  getEvent: { route: `GET ${OF_PROJECT}/events/{requestId}`, by: 'viewer', answers: { 200: Request } },
  /** In the projects of all accounts of the caller, 500 at most. Each fifty count as a read. */
  findRequest: { route: 'GET /api/requests/{requestId}', by: 'person', answers: { 200: FoundRequest } },
  /**
   * Whether a request was charged. The key is in the body, so that it is in no address and no log. It counts as a read.
   * A request under way is not seen.
   */
  lookUpCharge: {
    route: `POST ${OF_PROJECT}/charges/lookup`,
    by: 'viewer',
    isRead: true,
    body: chargeLookup(v.string()),
    answers: {
      200: v.variant('state', [
        /** Null: the event has expired. */
        v.strictObject({ state: v.literal('charged'), original: v.nullable(Event), storedUntil: Moment }),
        /** No success is kept of the last 24 hours. */
        v.strictObject({ state: v.literal('none'), asOf: Moment }),
      ]),
    },
  },
} as const satisfies Record<string, PortalOperation>;
