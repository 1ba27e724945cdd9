import { ERRORS, insufficientScope } from '../../shared/http/errors.ts';
import { asGateway, PORTAL_ERRORS, type PortalErrorDefinition } from './errors.ts';

interface ManageErrorDefinition extends PortalErrorDefinition {
  /** `WWW-Authenticate` parameters after the realm (RFC 6750, section 3); absent: no challenge. */
  readonly challenge?: string;
}

const INVALID_TOKEN = ', error="invalid_token"';
const unauthenticated = (title: string, detail: string, challenge = INVALID_TOKEN): ManageErrorDefinition => ({
  status: 401,
  title,
  detail,
  retryable: false,
  challenge,
});

/**
 * Every error that the management API answers with (`manage.ts`): the gateway's where it has the same one.
 */
export const MANAGE_ERRORS = {
  INVALID_REQUEST: PORTAL_ERRORS.INVALID_REQUEST,
  INVALID_IDEMPOTENCY_KEY: asGateway(ERRORS.INVALID_IDEMPOTENCY_KEY),
  MISSING_TOKEN: unauthenticated(
    'Token missing',
    'Send a management token in the header Authorization: Bearer <TOKEN>. A session of the portal does not count here.',
    '',
  ),
  INVALID_TOKEN: unauthenticated(
    'Token invalid',
    'This management token is not known here. It may be of another stage, or have ended long ago: create a new one.',
  ),
  TOKEN_REVOKED: unauthenticated('Token revoked', 'This token was revoked. An owner can make a new one in the portal.'),
  TOKEN_EXPIRED: unauthenticated('Token expired', 'This token has expired. An owner can make a new one in the portal.'),
  INSUFFICIENT_SCOPE: {
    status: 403,
    title: 'Insufficient scope',
    detail: 'This token lacks a scope.',
    retryable: false,
  },
  NOT_FOUND: PORTAL_ERRORS.NOT_FOUND,
  METHOD_NOT_ALLOWED: PORTAL_ERRORS.METHOD_NOT_ALLOWED,
  LIMIT_REACHED: PORTAL_ERRORS.LIMIT_REACHED,
  KEY_NOT_ACTIVE: PORTAL_ERRORS.KEY_NOT_ACTIVE,
  IDEMPOTENCY_CONFLICT: PORTAL_ERRORS.IDEMPOTENCY_CONFLICT,
  CHANGED_MEANWHILE: PORTAL_ERRORS.CHANGED_MEANWHILE,
  PAYLOAD_TOO_LARGE: PORTAL_ERRORS.PAYLOAD_TOO_LARGE,
  UNSUPPORTED_MEDIA_TYPE: PORTAL_ERRORS.UNSUPPORTED_MEDIA_TYPE,
  RATE_LIMIT_EXCEEDED: {
    status: 429,
    title: 'Rate limit exceeded',
    detail:
      'This token, or all tokens of its account together, have used up their reads or changes of this minute. Retry after the seconds in Retry-After.',
    retryable: true,
  },
  INTERNAL_ERROR: PORTAL_ERRORS.INTERNAL_ERROR,
  SERVICE_UNAVAILABLE: PORTAL_ERRORS.SERVICE_UNAVAILABLE,
} as const satisfies Record<string, ManageErrorDefinition>;

/** A code of the catalogue, for clients. */
export type ManageErrorCode = keyof typeof MANAGE_ERRORS;
/** The catalogue's entry of a code, with its optional parts. */
export const manageError = (code: ManageErrorCode): ManageErrorDefinition => MANAGE_ERRORS[code];

/** A refusal of the request's credentials. */
export class CredentialsError extends Error {
  readonly code: 'MISSING_TOKEN' | 'INVALID_TOKEN';
  readonly detail: string | undefined;

  /** @param detail replaces the catalogue's text. Fixed text only, never input */
  constructor(code: CredentialsError['code'], detail?: string) {
    super(code);
    this.code = code;
    this.detail = detail;
  }
}

/** The text and the challenge for a token without a scope. */
export const missingScope = (scope: string) => ({
  ...insufficientScope(scope),
  detail: `This token lacks the scope ${scope}.`,
});
