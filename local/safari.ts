import type { Handler } from './http-server.ts';

/** The prefix of the portal's cookies, which asks for a secure connection (functions/portal/cookies.ts). */
const PREFIX = '__Host-Http-';
const SAFARI_PREFIX = 'safari-';
/** Safari and other WebKit browsers name no Chrome. */
const SAFARI = /^(?!.*(?:Chrome|Chromium)\/).*Safari\//;

/**
 * Safari takes no secure cookie from http://localhost, so it gets the portal's cookies under names without the prefix,
 * and without `Secure`. This is for `npm start` alone: other browsers, and every deployed stage, keep both.
 */
export const withSafariCookies =
  (handler: Handler): Handler =>
  async (event, context) => {
    if (!SAFARI.test(event.requestContext.http.userAgent)) return handler(event, context);
    const sent = event.cookies?.map((cookie) =>
      cookie.startsWith(SAFARI_PREFIX) ? PREFIX + cookie.slice(SAFARI_PREFIX.length) : cookie,
    );
    const answer = await handler({ ...event, ...(sent && { cookies: sent }) }, context);
    const cookies = answer.cookies?.map((cookie) => cookie.replace(PREFIX, SAFARI_PREFIX).replace('; Secure', ''));
    return { ...answer, ...(cookies && { cookies }) };
  };
