import { GatewayError } from '../core/errors.ts';
import { routeKeyOf, type FunctionName, type Route } from '../wiring.ts';
import type { GatewayMiddleware, HttpEvent } from './request-state.ts';

/** What a function serves of an API. */
export interface Served {
  /** Every route of the API. */
  readonly routes: readonly Route[];
  /** Whose routes are let through; those of the other function are unknown to this one. */
  readonly by: FunctionName;
}

/**
 * Refuses what the function does not serve: 404 for an unknown path, 405 with `Allow` for a known one. Runs before CORS,
 * which would answer an OPTIONS request to any path.
 */
export function router({ routes, by }: Served): GatewayMiddleware {
  const own = new Set(routes.filter((route) => route.function === by).map(routeKeyOf));
  const all = new Set(routes.map(routeKeyOf));
  return {
    before: ({ event }) => {
      const routeKey = routeKeyOfEvent(event);
      if (own.has(routeKey)) return;
      const methods = routes.filter(({ path }) => path === event.rawPath).map(({ method }) => method);
      if (methods.length === 0 || all.has(routeKey)) throw new GatewayError('NOT_FOUND');
      throw new GatewayError('METHOD_NOT_ALLOWED', { headers: { Allow: methods.join(', ') } });
    },
  };
}

/** The route that API Gateway matched. An event without one, not from API Gateway, is matched here. */
export const routeKeyOfEvent = ({ routeKey, rawPath, requestContext }: HttpEvent): string =>
  routeKey || routeKeyOf({ method: requestContext.http.method, path: rawPath });
