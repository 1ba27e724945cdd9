import type { MiddlewareHandler } from 'hono';
import type { PortalContext, PortalEnvironment } from './hono-context.ts';
import { PortalError } from './errors.ts';
import { ROUTES } from './contract/requests/routes.ts';

/** The routes of a sign-in: the provider redirects here from another site. */
const SIGN_IN: readonly (string | null)[] = [ROUTES.startSignIn, ROUTES.finishSignIn];

/**
 * Programs send these, without a page: mail programs (RFC 8058), and scanners for keys. What they send is the
 * authority: a token, or whole keys.
 */
const BY_PROGRAMS: readonly (string | null)[] = [ROUTES.askToStopMails, ROUTES.stopMails, ROUTES.reportLeakedKeys];

/**
 * Accepts requests from the portal's own page only. The session cookie's `SameSite` is not enough: a neighbouring
 * host's page sends it too. It decides by Fetch Metadata. Without these headers, a change must have the portal's
 * `Origin`, and a read is accepted: no page of another origin can see its answer.
 */
export function ownRequests(portalOrigin: string): MiddlewareHandler<PortalEnvironment> {
  return async (c, next) => {
    const { route } = c.get('state');
    if (BY_PROGRAMS.includes(route)) return next();
    if (c.req.method === 'GET') {
      if (isFromElsewhere(c) && !SIGN_IN.includes(route)) throw new PortalError('CROSS_SITE_REQUEST');
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
