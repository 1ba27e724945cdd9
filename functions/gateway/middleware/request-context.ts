import type { MiddlewareObj } from '@middy/core';
import {
  ERROR_DOCS_PATH,
  HEADERS,
  METRICS,
  type MetricName,
  SIMULATED,
  type UsageEventName,
} from '../../shared/names.ts';
import type { Clock } from '../../shared/time.ts';
import type { Deadline } from '../../shared/deadline.ts';
import { requestIdAt, type RandomBytes } from '../../shared/ids.ts';
import {
  StoreBusyError,
  type Contention,
  type ErrorCode,
  FIRST_FAILURE_STATUS,
  errorDefinition,
  GatewayError,
  StoreUnavailableError,
  PROBLEM,
  problemMembers,
  REALM,
  shouldRetry,
} from '../../shared/http/errors.ts';
import { knownEvent } from '../../shared/http/http-event.ts';
import type {
  Executed,
  GatewayContext,
  HttpEvent,
  HttpResponse,
  RequestState,
  GatewayMiddleware,
} from './request-state.ts';

/** The metric for a request that a busy store refused. */
const GIVEN_UP: Readonly<Record<Contention, MetricName>> = {
  conflict: METRICS.transactionsGivenUp,
  throttle: METRICS.transactionsThrottled,
};

/** One line of the request log. It never contains a key, an Idempotency-Key or a body. */
export interface RequestLogEntry {
  readonly requestId: string;
  /** API Gateway's own request id: joins this line with the access log. */
  readonly apiRequestId: string;
  /** The route that API Gateway matched, `$default` for none. Unlike a path, it holds no text of the caller. */
  readonly routeKey: string;
  readonly status: number;
  readonly code: ErrorCode | null;
  readonly event: UsageEventName | null;
  /** For sums: `simulated` for a simulation, else the code, the event, or `ok` where there is neither. */
  readonly outcome: string;
  /** Request units charged. */
  readonly units: number;
  /** Of a request that was executed and then refused. */
  readonly uncharged: Executed | undefined;
  readonly projectId: string | null;
  readonly keyId: string | null;
  /** From receipt to the response, settlement included. */
  readonly durationMs: number;
}

/** The logs and metrics of the functions. */
export interface Telemetry {
  /** Logs a finished request and adds it to the metrics. `failure` is the cause of a 5xx. */
  request(entry: RequestLogEntry, failure?: unknown): void;
  /** Logs what the platform team should see although the request was answered. */
  warn(message: string, requestId: string, cause?: unknown): void;
  /** Adds one to a metric. */
  count(metric: MetricName): void;
}

export interface RequestContextDependencies {
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** A deadline for a request that starts now. */
  readonly startDeadline: () => Deadline;
  readonly telemetry: Telemetry;
  /** The portal whose documentation a problem leads to; undefined: the stage knows none. */
  readonly portalOrigin?: string | undefined;
}

/**
 * The outermost middleware. It gives the request its id, its receipt time and its deadline, adds the headers of every
 * response, and writes the log line. The id is made here, and never taken from input.
 *
 * @example
 *   middyChain(chain).use(requestContext({ clock, randomBytes, startDeadline, telemetry }));
 */
export function requestContext(dependencies: RequestContextDependencies) {
  const { clock, randomBytes, startDeadline, telemetry, portalOrigin } = dependencies;
  const finish = (event: HttpEvent, state: RequestState, response: HttpResponse): HttpResponse => {
    const status = response.statusCode ?? 200;
    if (state.failure instanceof StoreBusyError) telemetry.count(GIVEN_UP[state.failure.met]);
    if (state.simulated && status >= FIRST_FAILURE_STATUS) telemetry.count(METRICS.simulatedServerErrors);
    else if (state.code === 'INTERNAL_ERROR') telemetry.count(METRICS.internalErrors);
    telemetry.request(
      {
        requestId: state.requestId,
        apiRequestId: event.requestContext.requestId,
        routeKey: event.routeKey,
        status,
        code: state.code,
        event: state.event,
        outcome: state.simulated ? SIMULATED : (state.code ?? state.event ?? 'ok'),
        units: state.units,
        uncharged: state.uncharged,
        projectId: state.caller?.projectId ?? null,
        keyId: state.caller?.keyId ?? null,
        durationMs: Math.max(0, clock.now() - state.receivedAtMs),
      },
      state.failure,
    );
    return {
      ...response,
      headers: {
        ...response.headers,
        ...(state.code !== null &&
          portalOrigin !== undefined && { Link: `<${portalOrigin}${ERROR_DOCS_PATH}#${state.code}>; rel="help"` }),
        [HEADERS.requestId]: state.requestId,
        'Cache-Control': 'no-store',
      },
    };
  };

  return {
    before: (request) => {
      request.event = knownEvent(request.event) as HttpEvent;
      const receivedAtMs = clock.now();
      request.context.state = {
        // The time in the id is the time of the event.
        requestId: requestIdAt(receivedAtMs, randomBytes),
        receivedAtMs,
        sender: {
          userAgent: request.event.headers['user-agent'],
          address: request.event.requestContext.http.sourceIp,
        },
        deadline: startDeadline(),
        code: null,
        event: null,
        units: 0,
      };
    },
    after: (request) => {
      request.response = finish(request.event, request.context.state, request.response ?? {});
    },
    // This runs only when rendering itself failed.
    onError: (request) => {
      const { state } = request.context;
      request.response = finish(request.event, state, renderError(request.error, state));
    },
  } satisfies MiddlewareObj<HttpEvent, HttpResponse, Error, GatewayContext>;
}

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
function renderError(error: unknown, state: Failed): HttpResponse {
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
      [HEADERS.shouldRetry]: String(shouldRetry(code)),
      ...(challenge !== undefined && { 'WWW-Authenticate': `Bearer realm="${REALM}"${challenge}` }),
      ...(retryAfterSeconds !== null && { 'Retry-After': String(retryAfterSeconds) }),
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
