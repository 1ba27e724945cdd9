/** Kinds of usage event (docs/using-the-api.md, "Limits"). */
export type UsageEventName =
  | 'request_succeeded'
  | 'idempotency_replay'
  | 'rate_limit_rejected'
  | 'quota_rejected'
  | 'idempotency_conflict'
  | 'request_rejected';
