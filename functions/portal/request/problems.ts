import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { PredecessorError } from '../../accounts/keys/key-predecessors.ts';
import { RefusedError, TooManyRequestsError } from '../../accounts/store/refusals.ts';
import { StoreUnavailableError, FIRST_FAILURE_STATUS, PROBLEM, problemMembers } from '../../shared/http/errors.ts';
import type { PortalContext } from './hono-context.ts';
import {
  PORTAL_ERRORS,
  PortalError,
  type PortalErrorCode,
  type PortalErrorDefinition,
  type PortalErrorOptions,
} from '../contract/errors.ts';
import type { ManageErrorCode } from '../contract/manage-errors.ts';

/**
 * Renders anything that was thrown as `application/problem+json`, in the gateway's form. Records what the log needs.
 */
export function renderProblem(error: unknown, c: PortalContext): Response {
  const { code, options } = asPortalError(error);
  return problemOf(c, { code, ...PORTAL_ERRORS[code] }, options, error);
}

/** A definition of a catalogue with its code. */
interface Problem extends PortalErrorDefinition {
  readonly code: PortalErrorCode | ManageErrorCode;
}

/** The response of a known error (RFC 9457), which `cause` led to. */
export function problemOf(
  c: PortalContext,
  { code, status, title, detail, retryable }: Problem,
  options: PortalErrorOptions,
  cause: unknown,
): Response {
  const state = c.get('state');
  state.code = code;
  if (status >= FIRST_FAILURE_STATUS) state.failure = cause;
  const body = {
    ...problemMembers({ code, title, status, detail: options.detail ?? detail }, state.requestId),
    ...(options.field !== undefined && { field: options.field }),
    ...(options.accounts && { accounts: options.accounts }),
    ...(options.ends !== undefined && { ends: options.ends }),
    ...(options.keptInstead && { keptInstead: options.keptInstead }),
  };
  return c.body(JSON.stringify(body), status as ContentfulStatusCode, {
    'Content-Type': PROBLEM,
    ...(retryable && { 'Retry-After': String(options.retryAfterSeconds ?? 1) }),
    ...options.headers,
  });
}

/** Any error as one of the portal's. */
export function asPortalError(error: unknown): PortalError {
  if (error instanceof PortalError) return error;
  // Its message is for the platform team and contains ids.
  if (error instanceof TooManyRequestsError) {
    return new PortalError(error.code, { retryAfterSeconds: error.retryAfterSeconds });
  }
  if (error instanceof RefusedError) {
    return new PortalError(error.code, {
      ...(error.publicDetail === undefined ? {} : { detail: error.publicDetail }),
      field: error.field,
      ...(error instanceof PredecessorError && { ends: error.ends }),
    });
  }
  return new PortalError(error instanceof StoreUnavailableError ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_ERROR');
}
