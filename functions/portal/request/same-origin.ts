import type { MiddlewareHandler } from 'hono';
import type { PortalContext, PortalEnvironment } from './hono-context.ts';
import { PortalError } from '../contract/errors.ts';

/**
 * Accepts requests from the portal's own page only. The session cookie's `SameSite` is not enough: a neighbouring
 * host's page sends it too. It decides by Fetch Metadata. Without these headers, a change must have the portal's
 * `Origin`, and a read is accepted: no page of another origin can see its answer.
 */
export function ownRequests(portalOrigin: string): MiddlewareHandler<PortalEnvironment> {
  return async (c, next) => {
    const { operation } = c.get('state');
    const from = operation && 'from' in operation ? operation.from : undefined;
    // What programs send is the authority itself: a token, or whole keys.
    if (from === 'program') return next();
    if (c.req.method === 'GET') {
      if (isFromElsewhere(c) && from !== 'navigation') throw new PortalError('CROSS_SITE_REQUEST');
    } else {
      const site = c.req.header('sec-fetch-site');
      const isOwn = site === undefined ? c.req.header('origin') === portalOrigin : site === 'same-origin';
      if (!isOwn) throw new PortalError('CROSS_SITE_REQUEST');
    }
    await next();
  };
}

/** Whether a page of another origin makes the browser send the request. The address bar and programs are no page. */
export function isFromElsewhere(c: PortalContext): boolean {
  const site = c.req.header('sec-fetch-site');
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}
