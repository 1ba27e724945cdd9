/** Kinds of usage event (docs/api/limits.md, "What a request costs"). */
export const USAGE_EVENT_NAMES = [
  'request_succeeded',
  'idempotency_replay',
  'rate_limit_rejected',
  'quota_rejected',
  'idempotency_conflict',
  'request_rejected',
] as const;
export type UsageEventName = (typeof USAGE_EVENT_NAMES)[number];

/** Replaces an event's name in sums, logs and metrics when its answer was simulated. */
export const SIMULATED = 'simulated';
