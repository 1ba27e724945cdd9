import * as v from 'valibot';
import { SIMULATED, USAGE_EVENT_NAMES } from '../../shared/rules/usage/usage-event-name.ts';
import { KeyId } from './requests/fields.ts';
import { BUCKETS, PeriodQuery, UsageQuery } from './requests/usage.ts';
import { COUNTED_FIND_CODES, Csv, type PortalOperation } from './route.ts';
import { Count, CountFromOne, Moment } from './values.ts';

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
  /** By key only: the 500 with the most units, these first. */
  keys: v.exactOptional(v.array(v.strictObject({ keyId: KeyId, requests: Count, units: Count }))),
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

/** What the ledger tells of a project. A first look at very many events may be incomplete: asked again, it goes on. */
export const usageContract = {
  /** Of an interval with more than 500 keys, only the 500 with the most requests are told apart. */
  getUsage: { query: UsageQuery, answers: { 200: Usage }, refuses: [...COUNTED_FIND_CODES, 'INVALID_REQUEST'] },
  /** The counter of the quota, and the sum of the period's events. The platform team is alerted to a difference. */
  checkLedger: {
    query: PeriodQuery,
    answers: { 200: LedgerCheck },
    refuses: [...COUNTED_FIND_CODES, 'INVALID_REQUEST'],
  },
  /** Units and requests by day or hour, by key and by cap. The last row is the SHA-256 of all before it. */
  getStatement: {
    query: PeriodQuery,
    answers: { 200: Csv },
    refuses: [...COUNTED_FIND_CODES, 'INVALID_REQUEST', 'STILL_COUNTING'],
  },
} as const satisfies Record<string, PortalOperation>;
