import type { Limit } from './limits.ts';
import type { ErrorCode } from './problems.ts';

/**
 * No whole answer came (`CONNECTION_FAILED`); none came in time (`TIMED_OUT`); what came is not the gateway's
 * (`UNEXPECTED_ANSWER`), as that of a proxy, or of API Gateway when a function cannot start; or it was more than
 * a megabyte (`ANSWER_TOO_LARGE`).
 */
export type ClientErrorCode = 'CONNECTION_FAILED' | 'TIMED_OUT' | 'UNEXPECTED_ANSWER' | 'ANSWER_TOO_LARGE';

/** The code of an answer that is not the API's own. */
export const UNEXPECTED: ClientErrorCode = 'UNEXPECTED_ANSWER';

/** Any other text is a code of a later version of the gateway. */
export type Code = ErrorCode | ClientErrorCode | (string & Record<never, never>);

export interface Facts {
  readonly status: number | null;
  readonly code: Code;
  readonly detail: string;
  readonly requestId: string | null;
  readonly idempotencyKey: string;
  readonly headers: Headers | null;
  readonly rateLimit: Limit | null;
  readonly quota: Limit | null;
  readonly retryable: boolean;
}

/** A call that failed for good. Nothing of the API key is in it, and no character that a terminal obeys. */
export class SandboxGatewayError extends Error {
  override readonly name: string = 'SandboxGatewayError';
  /** HTTP status of the last answer; null: none came. */
  readonly status: number | null;
  /** Why, for programs. */
  readonly code: Code;
  /** Why, for people; it may change. */
  readonly detail: string;
  /** The id by which the platform team and the portal find the request. Null: the gateway sent none. */
  readonly requestId: string | null;
  /** Of all attempts of the call, which may have been charged: under it the same call is charged once. */
  readonly idempotencyKey: string;
  /** Headers of the last answer; null: none came. */
  readonly headers: Headers | null;
  /** Requests of this key in this minute; null where the answer did not tell. */
  readonly rateLimit: Limit | null;
  /** Request units of the project in this period; null where the answer did not tell. */
  readonly quota: Limit | null;
  /** The same call may succeed later. It is charged once if it is made under the same Idempotency-Key. */
  readonly retryable: boolean;

  constructor(facts: Facts) {
    const { status, code, detail, requestId } = facts;
    const about = [status && `status ${status}`, requestId && `request ${requestId}`].filter(Boolean).join(', ');
    super(`${code}: ${detail}${about && ` (${about})`}`);
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.requestId = requestId;
    this.idempotencyKey = facts.idempotencyKey;
    this.headers = facts.headers;
    this.rateLimit = facts.rateLimit;
    this.quota = facts.quota;
    this.retryable = facts.retryable;
  }
}

/** Status 400, and any other of 4xx without a class of its own. */
export class BadRequestError extends SandboxGatewayError {
  override readonly name: string = 'BadRequestError';
}
/** Status 401: the key is missing, wrong, revoked or expired. */
export class AuthenticationError extends SandboxGatewayError {
  override readonly name: string = 'AuthenticationError';
}
/** Status 403: the key may not do this, or its project is suspended. */
export class PermissionDeniedError extends SandboxGatewayError {
  override readonly name: string = 'PermissionDeniedError';
}
/** Status 409: another request has this Idempotency-Key. */
export class ConflictError extends SandboxGatewayError {
  override readonly name: string = 'ConflictError';
}
/** Status 429: too many requests in this minute. */
export class RateLimitError extends SandboxGatewayError {
  override readonly name: string = 'RateLimitError';
}
/** Status 429: the units of the project, or of the key, are used up. */
export class QuotaExceededError extends SandboxGatewayError {
  override readonly name: string = 'QuotaExceededError';
}
/** Status 5xx. */
export class InternalServerError extends SandboxGatewayError {
  override readonly name: string = 'InternalServerError';
}
/** No answer came, or one that cannot be used. */
export class APIConnectionError extends SandboxGatewayError {
  override readonly name: string = 'APIConnectionError';
}
/** No whole answer came in time. */
export class APITimeoutError extends APIConnectionError {
  override readonly name: string = 'APITimeoutError';
}

const BY_STATUS: Readonly<Record<number, typeof SandboxGatewayError>> = {
  401: AuthenticationError,
  403: PermissionDeniedError,
  409: ConflictError,
  429: RateLimitError,
};

/** The error of these facts, in the class of its status. */
export function errorOf(facts: Facts): SandboxGatewayError {
  const { status, code } = facts;
  if (code === 'TIMED_OUT') return new APITimeoutError(facts);
  if (status === null || status < 400) return new APIConnectionError(facts);
  if (status >= 500) return new InternalServerError(facts);
  if (status === 429 && code.endsWith('QUOTA_EXCEEDED')) return new QuotaExceededError(facts);
  return new (BY_STATUS[status] ?? BadRequestError)(facts);
}
