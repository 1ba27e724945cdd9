import type { MiddlewareHandler } from 'hono';
import type { PortalContext, PortalEnvironment } from './environment.ts';
import { PortalError } from './errors.ts';

/** Where a sign-in begins and ends: the provider leads here from another site. */
const SIGN_IN = /^\/api\/sign-in(\/|$)/;

/**
 * Takes requests from the portal's own page only, beside the `SameSite` of the session's cookie, which a neighbouring
 * host's page sends along: by what the browser says of the request (Fetch Metadata). Where it says nothing, a change must
 * have the portal's `Origin`, and a read is taken: no page of another origin can see its answer.
 */
export function ownRequests(portalOrigin: string): MiddlewareHandler<PortalEnvironment> {
  return async (c, next) => {
    if (c.req.method === 'GET') {
      if (isFromElsewhere(c) && !SIGN_IN.test(c.req.path)) throw new PortalError('CROSS_SITE_REQUEST');
    } else {
      const site = c.req.header('sec-fetch-site');
      const isOwn = site === undefined ? c.req.header('origin') === portalOrigin : site === 'same-origin';
      if (!isOwn) throw new PortalError('CROSS_SITE_REQUEST');
    }
    await next();
  };
}

/** Whether a page of another origin has the browser ask; the address bar and programs are no page. */
export function isFromElsewhere(c: PortalContext): boolean {
  const site = c.req.header('sec-fetch-site');
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}
