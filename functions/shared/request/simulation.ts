import type { ErrorCode } from '../http/errors.ts';

/** The refusals and failures that a request can simulate. Each is one of the catalogue, in its order of precedence. */
export const SIMULATED_CODES = [
  'API_KEY_REVOKED',
  'API_KEY_EXPIRED',
  'API_KEY_PAUSED',
  'INSUFFICIENT_SCOPE',
  'PROJECT_SUSPENDED',
  'RATE_LIMIT_EXCEEDED',
  'IDEMPOTENCY_CONFLICT',
  'QUOTA_EXCEEDED',
  'KEY_QUOTA_EXCEEDED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
] as const satisfies readonly ErrorCode[];
export type SimulatedCode = (typeof SIMULATED_CODES)[number];

/** The request is executed, charged and stored; only its answer is a 503. */
export const ANSWER_LOST = 'ANSWER_LOST';

/** The values of `simulate` in the body of a metered request. */
export const SIMULATIONS = [...SIMULATED_CODES, ANSWER_LOST] as const;
export type Simulation = (typeof SIMULATIONS)[number];
