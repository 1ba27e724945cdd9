import { dayOf, MS_PER_SECOND, secondsUntil } from '../time.ts';
import { SANDBOX_MODE, type KeyMode } from '../credentials/credential-text.ts';
import type { UsageEventName } from '../names.ts';

/** From this status on, an answer tells of a failure of ours. */
export const FIRST_FAILURE_STATUS = 500;
/** The media type of every refusal and failure. */
export const PROBLEM = 'application/problem+json';

/** A stable URN for each code, such as `urn:sandbox-gateway:error:not-signed-in`. */
export const problemType = (code: string): string =>
  `urn:sandbox-gateway:error:${code.toLowerCase().replaceAll('_', '-')}`;

/** The members of every problem (RFC 9457), in the order in which they are sent. */
export const problemMembers = (
  { code, title, status, detail }: Readonly<Record<'code' | 'title' | 'detail', string> & { status: number }>,
  requestId: string,
) => ({ type: problemType(code), title, status, detail, ok: false, code, requestId });

interface ErrorDefinition {
  readonly status: number;
  readonly title: string;
  /** The default `detail`. Fixed text: no input is ever echoed. */
  readonly detail: string;
  /** Set: the same request can succeed later without a change. Its response has `Retry-After`. */
  readonly retryable?: true;
  /** The usage event of a refusal in a known project; null for responses without one (404, 405, 5xx). */
  readonly event: UsageEventName | null;
  /** `WWW-Authenticate` parameters after the realm (RFC 6750, section 3); absent: no challenge. */
  readonly challenge?: string;
}

/** The protection space in the gateway's challenges (RFC 6750, section 3). */
export const REALM = 'sandbox-gateway';
const INVALID_TOKEN = ', error="invalid_token"';

/** The refusal of a key without this scope. */
export const insufficientScope = (scope: string) => ({
  detail: `This API key lacks the scope ${scope}.`,
  challenge: `, error="insufficient_scope", scope="${scope}"`,
});

/** The refusal of a key of the other mode. */
export const wrongMode = (required: KeyMode) => ({
  detail:
    required === SANDBOX_MODE
      ? 'The sandbox takes test keys only; this is a live key.'
      : 'This operation takes live keys only; this is a test key.',
});

/**
 * The options of a refusal by a limit of units: when the next period begins, for people and for programs. `detail`
 * replaces the catalogue's text, to which the date is added.
 */
export function quotaRefusal(
  code: 'QUOTA_EXCEEDED' | 'KEY_QUOTA_EXCEEDED',
  { endsAtEpochSeconds }: { readonly endsAtEpochSeconds: number | undefined },
  nowMs: number,
  detail: string = ERRORS[code].detail,
) {
  if (endsAtEpochSeconds === undefined) {
    return { detail: `${detail} There is no next period.`, retryAfterSeconds: null };
  }
  const day = dayOf(endsAtEpochSeconds * MS_PER_SECOND);
  return {
    detail: `${detail} The next period begins on ${day} at 00:00 UTC.`,
    retryAfterSeconds: secondsUntil(endsAtEpochSeconds, nowMs),
  };
}

/** Every error that the gateway answers with. All codes are defined here. */
export const ERRORS = {
  INVALID_REQUEST: {
    status: 400,
    title: 'Invalid request',
    detail: 'The request body is not valid.',
    event: 'request_rejected',
  },
  INVALID_IDEMPOTENCY_KEY: {
    status: 400,
    title: 'Invalid Idempotency-Key',
    detail: 'The Idempotency-Key header must be 1 to 255 visible ASCII characters.',
    event: 'request_rejected',
  },
  MISSING_API_KEY: {
    status: 401,
    title: 'API key missing',
    detail: 'Send the API key in the header Authorization: Bearer <API_KEY>.',
    event: null,
    challenge: '',
  },
  INVALID_API_KEY: {
    status: 401,
    title: 'API key invalid',
    detail: 'This API key is not known here. It may be of another stage, or have ended long ago: create a new one.',
    event: null,
    challenge: INVALID_TOKEN,
  },
  API_KEY_REVOKED: {
    status: 401,
    title: 'API key revoked',
    detail: 'This API key was revoked. Create a new one in the portal.',
    event: 'request_rejected',
    challenge: INVALID_TOKEN,
  },
  API_KEY_EXPIRED: {
    status: 401,
    title: 'API key expired',
    detail: 'This API key has expired. Create a new one in the portal.',
    event: 'request_rejected',
    challenge: INVALID_TOKEN,
  },
  API_KEY_PAUSED: {
    status: 403,
    title: 'API key paused',
    detail: 'This API key is paused. A member of its account can resume it in the portal.',
    event: 'request_rejected',
  },
  INSUFFICIENT_SCOPE: {
    status: 403,
    title: 'Insufficient scope',
    ...insufficientScope('sandbox:invoke'),
    event: 'request_rejected',
  },
  KEY_MODE_MISMATCH: {
    status: 403,
    title: 'Wrong key mode',
    ...wrongMode(SANDBOX_MODE),
    event: 'request_rejected',
  },
  PROJECT_SUSPENDED: {
    status: 403,
    title: 'Project suspended',
    detail: 'The project of this API key is not active.',
    event: 'request_rejected',
  },
  NOT_FOUND: {
    status: 404,
    title: 'Not found',
    detail: 'There is no such path.',
    event: null,
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    title: 'Method not allowed',
    detail: 'This path does not take this method; the Allow header lists those it takes.',
    event: null,
  },
  IDEMPOTENCY_CONFLICT: {
    status: 409,
    title: 'Idempotency-Key already used',
    detail: 'This Idempotency-Key was used for a different request. Use a new one.',
    event: 'idempotency_conflict',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    title: 'Payload too large',
    detail: 'The request body is over 16384 bytes.',
    event: 'request_rejected',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    title: 'Unsupported media type',
    detail: 'The Content-Type must be application/json.',
    event: 'request_rejected',
  },
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    title: 'Rate limit exceeded',
    detail: 'This API key has used up its requests of this minute. Retry after the seconds in Retry-After.',
    retryable: true,
    event: 'rate_limit_rejected',
  },
  QUOTA_EXCEEDED: {
    status: 429,
    title: 'Quota exceeded',
    detail: 'The project has used up its request units of this period.',
    retryable: true,
    event: 'quota_rejected',
  },
  KEY_QUOTA_EXCEEDED: {
    status: 429,
    title: 'Key quota exceeded',
    detail: 'This API key has used up its own request units of this period.',
    retryable: true,
    event: 'quota_rejected',
  },
  INTERNAL_ERROR: {
    status: 500,
    title: 'Internal error',
    detail: 'The gateway failed. Quote the requestId when you report it.',
    event: null,
  },
  SERVICE_UNAVAILABLE: {
    status: 503,
    title: 'Service unavailable',
    detail: 'The gateway cannot reach its store. Retry with the same Idempotency-Key.',
    retryable: true,
    event: null,
  },
} as const satisfies Record<string, ErrorDefinition>;

/** A code of the catalogue, for clients. */
export type ErrorCode = keyof typeof ERRORS;
/** The catalogue's entry of a code, with its optional parts. */
export const errorDefinition = (code: ErrorCode): ErrorDefinition => ERRORS[code];

/** Whether a program should send the request again. Not with every Retry-After: units come back with the next period. */
export const shouldRetry = (code: ErrorCode): boolean =>
  ERRORS[code].status >= FIRST_FAILURE_STATUS || code === 'RATE_LIMIT_EXCEEDED';

interface GatewayErrorOptions {
  /** Replaces the catalogue's text. Fixed text only, never input. */
  readonly detail?: string | undefined;
  /** Replaces the catalogue's parameters of the challenge. */
  readonly challenge?: string;
  /** Whole seconds; a retryable code without it says 1. Null: to wait does not help. */
  readonly retryAfterSeconds?: number | null;
  /** Further response headers, such as `Allow`. */
  readonly headers?: Record<string, string>;
  readonly cause?: unknown;
}

/** A refusal or failure that becomes the response. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly detail: string;
  readonly challenge: string | undefined;
  readonly retryAfterSeconds: number | null;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, options: GatewayErrorOptions = {}) {
    super(code, { cause: options.cause });
    const { retryAfterSeconds = 1 } = options;
    this.code = code;
    this.detail = options.detail ?? ERRORS[code].detail;
    this.challenge = options.challenge ?? errorDefinition(code).challenge;
    this.retryAfterSeconds = errorDefinition(code).retryable ? retryAfterSeconds : null;
    this.headers = options.headers ?? {};
  }
}

/** The store did not answer or answered "later": a 503. */
export class StoreUnavailableError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StoreUnavailableError';
  }
}

/** Why a transaction's last attempt failed: a conflict with others on the same items, or a throttle. */
export type Contention = 'conflict' | 'throttle';

/**
 * A transaction met conflicts or throttles at each of its attempts. It has a class of its own for the metrics that
 * count it.
 */
export class StoreBusyError extends StoreUnavailableError {
  readonly met: Contention;

  constructor(met: Contention, cause?: unknown) {
    const message =
      met === 'conflict' ? 'others were at the same items at every attempt' : 'the store throttled the last attempt';
    super(message, cause);
    this.met = met;
  }
}
