import type { MiddlewareHandler } from 'hono';
import type { PortalContext, PortalEnvironment } from './environment.ts';
import { PortalError } from './errors.ts';

/** The paths of a sign-in: the provider redirects here from another site. */
const SIGN_IN = /^\/api\/sign-in(\/|$)/;

/** A mail program stops mails here, without a page (RFC 8058). The token in the address is the authority. */
const BY_MAIL_PROGRAMS = '/api/mails/stop';

/**
 * Accepts requests from the portal's own page only. The session cookie's `SameSite` is not enough: a neighbouring
 * host's page sends it too. It decides by Fetch Metadata. Without these headers, a change must have the portal's
 * `Origin`, and a read is accepted: no page of another origin can see its answer.
 */
export function ownRequests(portalOrigin: string): MiddlewareHandler<PortalEnvironment> {
  return async (c, next) => {
    if (c.req.path === BY_MAIL_PROGRAMS) return next();
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

/** Whether a page of another origin makes the browser send the request. The address bar and programs are no page. */
export function isFromElsewhere(c: PortalContext): boolean {
  const site = c.req.header('sec-fetch-site');
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}
