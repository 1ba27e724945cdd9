import type { MiddlewareHandler } from 'hono';
import { requestIdAt } from '../../shared/ids.ts';
import { HEADERS, PORTAL_METRICS } from '../../shared/names.ts';
import { isoTime } from '../../shared/time.ts';
import type { PortalDependencies } from './dependencies.ts';
import type { PortalEnvironment, RequestState } from './hono-context.ts';

/**
 * The outermost part. It gives the request its id and its receipt time, adds the headers of every response, and writes
 * the log line. The id is made here, and never taken from input.
 */
export function requestContext({
  clock,
  randomBytes,
  startDeadline,
  telemetry,
}: PortalDependencies): MiddlewareHandler<PortalEnvironment> {
  return async (c, next) => {
    const receivedAtMs = clock.now();
    const requestId = requestIdAt(receivedAtMs, randomBytes);
    const backgroundWork: Promise<unknown>[] = [];
    const state: RequestState = {
      requestId,
      receivedAtMs,
      deadline: startDeadline(),
      runInBackground: (work) => {
        // Caught from the start: an unhandled rejection during the request would end the process.
        const settled = work.catch((error: unknown) => {
          telemetry.warn('Parallel work of a request failed.', requestId, error);
        });
        backgroundWork.push(settled);
      },
      userId: null,
      tokenId: null,
      code: null,
    };
    c.set('state', state);
    c.header(HEADERS.requestId, requestId);
    c.header('Cache-Control', 'no-store');
    await next();
    await Promise.all(backgroundWork);
    const { operation, userId, tokenId, code, failure } = state;
    if (code === 'INTERNAL_ERROR') telemetry.count(PORTAL_METRICS.internalErrors);
    const answeredAtMs = clock.now();
    // The clock of the pages, so as late as it is known: the database may have taken seconds.
    c.header('X-Service-Time', isoTime(answeredAtMs));
    const durationMs = Math.max(0, answeredAtMs - receivedAtMs);
    const apiRequestId = c.env.event.requestContext.requestId;
    const entry = {
      requestId,
      apiRequestId,
      route: operation?.route ?? null,
      status: c.res.status,
      code,
      userId,
      tokenId,
      durationMs,
    };
    telemetry.request(entry, failure);
  };
}
