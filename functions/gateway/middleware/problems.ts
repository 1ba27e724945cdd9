import { errorDefinition, GatewayError, StoreUnavailableError } from '../../shared/http/errors.ts';
import { FIRST_FAILURE_STATUS, PROBLEM, problemMembers } from '../../shared/http/problem.ts';
import type { GatewayMiddleware, HttpResponse, RequestState } from './request-state.ts';

/** The protection space in challenges (RFC 6750, section 3). */
const REALM = 'sandbox-gateway';

type Failed = Pick<RequestState, 'requestId' | 'simulated' | 'code' | 'failure'>;

/**
 * Renders every error as `application/problem+json`. It runs inside CORS, so that browsers can read the answer.
 *
 * @example
 *   middyChain(handler).use(problems());
 */
export function problems(): GatewayMiddleware<'requestId' | 'simulated', 'code' | 'failure'> {
  return {
    onError: (request) => {
      request.response = renderError(request.error, request.context.state);
    },
  };
}

/** The response to anything that was thrown. Records in the state what the log line needs. */
export function renderError(error: unknown, state: Failed): HttpResponse {
  const problem = asGatewayError(error);
  state.code = problem.code;
  // A simulated failure has no cause.
  if (errorDefinition(problem.code).status >= FIRST_FAILURE_STATUS && !state.simulated)
    state.failure = problem.cause ?? problem;
  return problemResponse(problem, state.requestId);
}

/** The response of a known error (RFC 9457). */
export function problemResponse(problem: GatewayError, requestId: string): HttpResponse {
  const { code, detail, challenge, retryAfterSeconds } = problem;
  const { status, title } = errorDefinition(code);
  return {
    statusCode: status,
    headers: {
      'Content-Type': PROBLEM,
      ...(challenge !== undefined && { 'WWW-Authenticate': `Bearer realm="${REALM}"${challenge}` }),
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
      ...problem.headers,
    },
    body: JSON.stringify(problemMembers({ code, title, status, detail }, requestId)),
  };
}

function asGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const code = error instanceof StoreUnavailableError ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_ERROR';
  return new GatewayError(code, { cause: error });
}
