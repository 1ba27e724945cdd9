import { ROUTES, routeKeyOf } from '../wiring.ts';
import { GatewayError } from '../core/errors.ts';
import type { GatewayMiddleware } from './request-state.ts';

/**
 * Refuses what no route of the contract matches: 404 for an unknown path, 405 with `Allow` for a known one. Runs before
 * CORS, which would answer an OPTIONS request to any path.
 */
export function router(): GatewayMiddleware {
  const routeKeys = new Set(ROUTES.map(routeKeyOf));
  return {
    before: ({ event }) => {
      // API Gateway names the route it matched. An event without one, not from API Gateway, is matched here.
      const routeKey = event.routeKey || `${event.requestContext.http.method} ${event.rawPath}`;
      if (routeKeys.has(routeKey)) return;
      const methods = ROUTES.filter(({ path }) => path === event.rawPath).map(({ method }) => method);
      if (methods.length === 0) throw new GatewayError('NOT_FOUND');
      throw new GatewayError('METHOD_NOT_ALLOWED', { headers: { Allow: methods.join(', ') } });
    },
  };
}
