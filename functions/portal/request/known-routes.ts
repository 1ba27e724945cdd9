import type { Hono, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { API_V1, LIMITED_ROUTES, routeKeyOf } from '../../shared/names.ts';
import type { ManageOperation, PortalOperation } from '../contract/operation.ts';
import type { PortalEnvironment } from './hono-context.ts';
import { PortalError } from '../contract/errors.ts';

type AnyOperation = PortalOperation | ManageOperation;

/** In the order of `Allow`. */
const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'] as const;

const operationOf = ({ handler }: { readonly handler: object }): AnyOperation | undefined =>
  (handler as { operation?: AnyOperation }).operation;

/** The operations that were added to an app, in order. */
export const operationsOf = ({ routes }: Hono<PortalEnvironment>): AnyOperation[] =>
  routes.flatMap((route) => operationOf(route) ?? []);

/**
 * Refuses unknown requests before anything else: 404 for an unknown path, 405 with `Allow` for a known one. HEAD is a
 * 405 too: Hono would treat it as a GET, and a GET to the sign-in has effects.
 *
 * @param gatewayUrl where a request belongs that has a path of the gateway; absent: it is unknown as any other
 */
export function knownRoutes(
  { router }: Hono<PortalEnvironment>,
  gatewayUrl?: string,
): MiddlewareHandler<PortalEnvironment> {
  return async (c, next) => {
    const { method, path } = c.req;
    const operation = matchedRoutes(c).map(operationOf).find(Boolean);
    if (!operation || method === 'HEAD') {
      const isTaken = (one: string) => router.match(one, path)[0].some(([[, route]]) => operationOf(route));
      const methods = METHODS.filter(isTaken);
      if (methods.length === 0) {
        const isOfGateway = gatewayUrl !== undefined && path.startsWith(`${API_V1}/`);
        const detail = `This is the portal. The gateway is at ${gatewayUrl}: send the request there.`;
        throw new PortalError('NOT_FOUND', isOfGateway ? { detail } : {});
      }
      throw new PortalError('METHOD_NOT_ALLOWED', { headers: { Allow: methods.join(', ') } });
    }
    // In another spelling of its path, the request has not passed the limit of the route.
    const limited = LIMITED_ROUTES.find((one) => routeKeyOf(one) === operation.route);
    if (limited && c.env.event.rawPath !== limited.path) throw new PortalError('NOT_FOUND');
    c.get('state').operation = operation;
    await next();
  };
}
