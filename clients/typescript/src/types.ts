/** What of `openapi.yaml` this library has; a test compares the two. */

export type { ErrorCode } from './problems.ts';

/** A failure that a request asks for. */
export type Simulation =
  | 'API_KEY_REVOKED'
  | 'API_KEY_EXPIRED'
  | 'API_KEY_PAUSED'
  | 'INSUFFICIENT_SCOPE'
  | 'PROJECT_SUSPENDED'
  | 'RATE_LIMIT_EXCEEDED'
  | 'IDEMPOTENCY_CONFLICT'
  | 'QUOTA_EXCEEDED'
  | 'KEY_QUOTA_EXCEEDED'
  | 'INTERNAL_ERROR'
  | 'SERVICE_UNAVAILABLE'
  | 'ANSWER_LOST';

/** What a ping takes. */
export interface PingRequest {
  /** Your own name for the request, at most 128 characters, stored in its usage event. */
  readonly clientRequestId?: string | undefined;
  /** Asks for this failure; the answer is the real one, and is raised after the first attempt. */
  readonly simulate?: Simulation | undefined;
}

/** The answer to a ping. */
export interface Ping {
  /** It succeeded. */
  readonly ok: true;
  /** What the key is for. */
  readonly mode: 'sandbox';
  /** A word for people. */
  readonly message: 'Sandbox gateway is ready.';
  /** By which the portal and the platform team find the request. */
  readonly requestId: string;
}

/** The answer to a health check. */
export interface Health {
  /** It succeeded. */
  readonly ok: true;
  /** Who answers. */
  readonly service: 'sandbox-gateway';
  /** That it can be used. */
  readonly status: 'available';
  /** By which the platform team finds the request. */
  readonly requestId: string;
}
