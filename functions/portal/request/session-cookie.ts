import type { AccountStore } from '../../accounts/store/account-store.ts';
import { hasSessionTag, readSessionToken, type SessionReference } from '../../accounts/people/sessions.ts';
import { readCookie, type PortalCookie } from './cookies.ts';
import type { PortalContext } from './hono-context.ts';

/** The cookie with the session's token. `Strict`: no other site can make a request with it. */
export const SESSION_COOKIE: PortalCookie = { name: 'session', sameSite: 'Strict' };

/** The session in a request's cookie; undefined: there is no such cookie, or no token in it. */
export const sessionOf = (c: PortalContext): SessionReference | undefined =>
  readSessionToken(readCookie(c, SESSION_COOKIE.name));

/**
 * The same, unless the tag shows, without I/O, that the token was invented. If the secret of the tags cannot be read,
 * tags are not checked.
 */
export async function ownSessionOf(
  c: PortalContext,
  { store }: { readonly store: Pick<AccountStore, 'keyTagSecrets'> },
): Promise<SessionReference | undefined> {
  const token = readCookie(c, SESSION_COOKIE.name);
  const reference = readSessionToken(token);
  if (token === undefined || !reference) return undefined;
  const secrets = await store.keyTagSecrets().catch(() => undefined);
  return !secrets || hasSessionTag(token, secrets) ? reference : undefined;
}
