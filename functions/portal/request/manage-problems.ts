import { MissingScopeError, TokenEndedError } from '../../accounts/authority/token-check.ts';
import type { PortalContext } from './hono-context.ts';
import type { PortalErrorOptions } from '../contract/errors.ts';
import { asPortalError, problemOf } from './problems.ts';
import {
  CredentialsError,
  MANAGE_ERRORS,
  manageError,
  missingScope,
  type ManageErrorCode,
} from '../contract/manage-errors.ts';

/** The protection space in challenges (RFC 6750, section 3). */
const REALM = 'sandbox-gateway-management';
const CODE_OF_END = { unknown: 'INVALID_TOKEN', revoked: 'TOKEN_REVOKED', expired: 'TOKEN_EXPIRED' } as const;
/** The name of the header in `field`. */
const IDEMPOTENCY_KEY = 'Idempotency-Key';

interface ManageProblem {
  readonly code: ManageErrorCode;
  readonly options?: PortalErrorOptions;
  readonly challenge?: string;
}

/** Renders anything that was thrown as `application/problem+json`, in the gateway's form. */
export function renderManageProblem(error: unknown, c: PortalContext): Response {
  const { code, options = {}, ...of } = asManageProblem(error);
  const definition = manageError(code);
  const challenge = of.challenge ?? definition.challenge;
  const headers = {
    ...(challenge !== undefined && { 'WWW-Authenticate': `Bearer realm="${REALM}"${challenge}` }),
    ...options.headers,
  };
  return problemOf(c, { code, ...definition }, { ...options, headers }, error);
}

function asManageProblem(error: unknown): ManageProblem {
  if (error instanceof CredentialsError) {
    return { code: error.code, options: error.detail === undefined ? {} : { detail: error.detail } };
  }
  if (error instanceof TokenEndedError) return { code: CODE_OF_END[error.end] };
  if (error instanceof MissingScopeError) {
    const { detail, challenge } = missingScope(error.scope);
    return { code: 'INSUFFICIENT_SCOPE', options: { detail }, challenge };
  }
  const { code, options } = asPortalError(error);
  if (code === 'TOO_MANY_REQUESTS') return { code: 'RATE_LIMIT_EXCEEDED', options };
  if (code === 'INVALID_REQUEST' && options.field === IDEMPOTENCY_KEY) return { code: 'INVALID_IDEMPOTENCY_KEY' };
  return code in MANAGE_ERRORS ? { code: code as ManageErrorCode, options } : { code: 'INTERNAL_ERROR' };
}
