import type { ErrorCode } from './types.ts';

/**
 * No answer came, or only a part of it (`CONNECTION_FAILED`); none came in time (`TIMED_OUT`); or what came is not the
 * gateway's (`UNEXPECTED_ANSWER`), as that of a proxy, or of API Gateway when a function cannot start.
 */
export type ClientErrorCode = 'CONNECTION_FAILED' | 'TIMED_OUT' | 'UNEXPECTED_ANSWER';

/** Any other text is a code of a later version of the gateway. */
export type Code = ErrorCode | ClientErrorCode | (string & Record<never, never>);

interface Facts {
  readonly status: number | null;
  readonly code: Code;
  readonly detail: string;
  readonly requestId: string | null;
  readonly retryable: boolean;
  readonly cause?: unknown;
}

/** A call that failed for good. Nothing of the API key is in it. */
export class SandboxGatewayError extends Error {
  override readonly name = 'SandboxGatewayError';
  /** HTTP status of the last answer; null: none came. */
  readonly status: number | null;
  /** Why, for programs. */
  readonly code: Code;
  /** Why, for people; it may change. */
  readonly detail: string;
  /** The id by which the platform team and the portal find the request. Null: the gateway sent none. */
  readonly requestId: string | null;
  /** The same call may succeed later. It is charged once if it is made under the same Idempotency-Key. */
  readonly retryable: boolean;

  constructor({ status, code, detail, requestId, retryable, cause }: Facts) {
    const about = [status && `status ${status}`, requestId && `request ${requestId}`].filter(Boolean).join(', ');
    super(`${code}: ${detail}${about && ` (${about})`}`, { cause });
    this.status = status;
    this.code = code;
    this.detail = detail;
    this.requestId = requestId;
    this.retryable = retryable;
  }
}
