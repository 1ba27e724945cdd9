import type { Hono, MiddlewareHandler } from 'hono';
import { API_V1 } from '../shared/names.ts';
import { pathPattern } from '../shared/rules/http/path-pattern.ts';
import { partsOf, type RouteName } from './contract/requests/routes.ts';
import type { PortalContext, PortalEnvironment } from './hono-context.ts';
import { PortalError } from './errors.ts';
import type { Writes } from './writes.ts';

/** Adds a route to an app, with what it may write. A route that is added in another way is unknown. */
export function addRoute(
  app: Hono<PortalEnvironment>,
  route: RouteName,
  writes: Writes,
  handler: (c: PortalContext) => Response | Promise<Response>,
): void {
  const [method, path] = partsOf(route);
  app.on(method, path.replaceAll(/\{(\w+)\}/g, ':$1'), Object.assign(handler, { writes }));
}

/** A route of the portal, with its path as in the contract: `/api/accounts/{accountId}`. */
export interface PortalRoute {
  readonly method: string;
  readonly path: string;
  readonly writes: Writes;
}

/** The routes that were added to an app, in order. */
export const routesOf = ({ routes }: Hono<PortalEnvironment>): PortalRoute[] =>
  routes.flatMap(({ method, path, handler }) => {
    const { writes } = handler as { writes?: Writes };
    return writes ? [{ method, path: path.replaceAll(/:(\w+)/g, '{$1}'), writes }] : [];
  });

/**
 * Refuses unknown requests before anything else: 404 for an unknown path, 405 with `Allow` for a known one. HEAD is a
 * 405 too: Hono would treat it as a GET, and a GET to the sign-in has effects.
 *
 * @param gatewayUrl where a request belongs that has a path of the gateway; absent: it is unknown as any other
 */
export function knownRoutes(app: Hono<PortalEnvironment>, gatewayUrl?: string): MiddlewareHandler<PortalEnvironment> {
  let known: { method: string; path: string; pattern: RegExp }[] | undefined;
  return async (c, next) => {
    known ??= routesOf(app).map(({ method, path }) => ({ method, path, pattern: pathPattern(path) }));
    const matching = known.filter(({ pattern }) => pattern.test(c.req.path));
    if (matching.length === 0) {
      const isOfGateway = gatewayUrl !== undefined && c.req.path.startsWith(`${API_V1}/`);
      const detail = `This is the portal. The gateway is at ${gatewayUrl}: send the request there.`;
      throw new PortalError('NOT_FOUND', isOfGateway ? { detail } : {});
    }
    const route = matching.find(({ method }) => method === c.req.method);
    if (!route) {
      const methods = matching.map(({ method }) => method);
      throw new PortalError('METHOD_NOT_ALLOWED', { headers: { Allow: methods.join(', ') } });
    }
    c.get('state').route = `${route.method} ${route.path}`;
    await next();
  };
}
