import type { MiddlewareHandler } from 'hono';
import type { PortalEnvironment } from './environment.ts';
import { PortalError } from './errors.ts';

/**
 * Takes changes from the portal's own page only, beside the `SameSite` of the session's cookie: by what the browser says
 * of the request (Fetch Metadata), or where it says nothing by `Origin`. Without either the request comes from no page.
 */
export function sameOriginChanges(portalOrigin: string): MiddlewareHandler<PortalEnvironment> {
  return async (c, next) => {
    if (c.req.method !== 'GET') {
      const site = c.req.header('sec-fetch-site');
      const isOwn = site === undefined ? c.req.header('origin') === portalOrigin : site === 'same-origin';
      if (!isOwn) throw new PortalError('CROSS_SITE_REQUEST');
    }
    await next();
  };
}
