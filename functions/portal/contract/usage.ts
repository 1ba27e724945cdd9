import * as v from 'valibot';
import { SIMULATED, USAGE_EVENT_NAMES } from '../../shared/names.ts';
import { KeyId } from './fields.ts';
import { Span } from './lists.ts';
import { Csv, type PortalOperation } from './operation.ts';
import { Count, CountFromOne, Moment, upTo } from './values.ts';

/** Lengths of buckets. */
const BUCKETS = ['5min', 'hour', 'day'] as const;
const BY = [...BUCKETS, 'key'] as const;

/** The query of sums. Without a beginning the span has 24 hours. By key there are no buckets. */
export const UsageQuery = v.intersect([
  Span,
  v.object({
    by: v.optional(v.picklist(BY, `Give one of ${BY.join(', ')}.`), 'hour'),
    keyId: v.optional(KeyId),
  }),
]);

/** Lengths of buckets for programs; by key there are none. */
export const MANAGE_BY = ['day', 'hour', 'key'] as const;
/** The query of sums, for programs. */
export const ManageUsageQuery = v.intersect([
  Span,
  v.object({ by: v.optional(v.picklist(MANAGE_BY, `Give one of ${MANAGE_BY.join(', ')}.`), 'day') }),
]);

/** The query of a period that has begun, and whose events are all kept. Absent: the present one. */
export const PeriodQuery = v.object({ period: v.optional(v.string()) });

/** From receipt to decision; null: there are no requests, or a key is asked for. */
const Latency = v.nullable(v.pipe(v.number(), v.minValue(0)));
/** What there is of a span. */
export const Figures = v.strictObject({
  requests: Count,
  /** Charged to the quota. */
  units: Count,
  /** Kinds without any are left out. Simulated ones are in no other kind. */
  outcomes: v.record(v.picklist([...USAGE_EVENT_NAMES, SIMULATED]), CountFromOne),
  p50LatencyMs: Latency,
  p95LatencyMs: Latency,
  /** Whether events of 0 units may be missing: they are kept for 30 days, and some of this was summed later. */
  chargedOnly: v.boolean(),
});
/** The same of the span that begins then. */
export const Bucket = v.strictObject({ start: Moment, ...Figures.entries });

/** By key only: the keys that are not listed. There may be more of them: not all are told apart. */
export const OtherKeys = v.strictObject({ keys: Count, requests: Count, units: Count });

const KeyUsage = v.strictObject({
  keyId: KeyId,
  requests: Count,
  units: Count,
  /** Its units of each UTC day, oldest first, in a span of days, of some 31 at most. */
  days: v.exactOptional(v.array(Count)),
});

const Usage = v.strictObject({
  since: Moment,
  /** Of a span that reaches to now: the end of the bucket that is under way. */
  until: Moment,
  /** The length of a bucket; by key, what the span is rounded to. */
  by: v.picklist(BUCKETS),
  /** Whether all buckets are summed whole, the one under way as of now. */
  complete: v.boolean(),
  /** Buckets that are not summed whole yet. */
  remaining: Count,
  /** Oldest first. Those without requests are left out, as are those that are not summed yet. */
  buckets: v.array(Bucket),
  /** Of the buckets that are there. */
  total: Figures,
  /** Not by key: of the same requests those that were refused, by key and code, most first. */
  refusals: v.exactOptional(upTo(50, v.strictObject({ keyId: KeyId, code: v.string(), requests: CountFromOne }))),
  /** By key only: the 500 with the most units, these first. */
  keys: v.exactOptional(v.array(KeyUsage)),
  others: v.exactOptional(OtherKeys),
});
export type Usage = v.InferOutput<typeof Usage>;

const LedgerCheck = v.strictObject({
  period: v.string(),
  /** Whether counter and events certainly agree, certainly differ, or cannot be compared yet. */
  state: v.picklist(['balanced', 'different', 'counting']),
  /** Null: not read yet, or it holds no number. */
  counter: v.nullable(Count),
  /** Null: not summed yet. */
  events: v.nullable(Count),
  /** Where they differ, bounds of the events minus the counter. */
  difference: v.nullable(
    v.strictObject({ atLeast: v.pipe(v.number(), v.integer()), atMost: v.pipe(v.number(), v.integer()) }),
  ),
  /** Days or hours that are not summed yet. */
  remaining: Count,
  checkedAt: Moment,
});
export type LedgerCheck = v.InferOutput<typeof LedgerCheck>;

const OF_PROJECT = '/api/accounts/{accountId}/projects/{projectId}';

/** What the ledger tells of a project. A first look at very many events may be incomplete: asked again, it goes on. */
export const usageContract = {
  /** Of an interval with more than 500 keys, only the 500 with the most requests are told apart. */
  getUsage: { route: `GET ${OF_PROJECT}/usage`, by: 'viewer', query: UsageQuery, answers: { 200: Usage } },
  /** The counter of the quota, and the sum of the period's events. The platform team is alerted to a difference. */
  checkLedger: { route: `GET ${OF_PROJECT}/ledger`, by: 'viewer', query: PeriodQuery, answers: { 200: LedgerCheck } },
  /** Units and requests by day or hour, by key and by cap. The last row is the SHA-256 of all before it. */
  getStatement: {
    route: `GET ${OF_PROJECT}/statement.csv`,
    by: 'viewer',
    query: PeriodQuery,
    answers: { 200: Csv },
    refuses: ['STILL_COUNTING'],
  },
} as const satisfies Record<string, PortalOperation>;
