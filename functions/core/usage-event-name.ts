/** Kinds of usage event; `idempotency_replay` is the specification's name, the others the design's. */
export type UsageEventName =
  | 'request_succeeded'
  | 'idempotency_replay'
  | 'rate_limit_rejected'
  | 'quota_rejected'
  | 'idempotency_conflict'
  | 'request_rejected';
