import type { AccountStore } from '../../accounts/account-store.ts';
import { hasSessionTag, readSessionToken, type SessionReference } from '../../accounts/people/sessions.ts';
import { readCookie, type PortalCookie } from '../cookies.ts';
import type { PortalContext } from '../environment.ts';

/** The cookie with the session's token. `Strict`: no other site can make a request with it. */
export const SESSION_COOKIE: PortalCookie = { name: 'session', sameSite: 'Strict' };

/** The session in a request's cookie; undefined: there is no such cookie, or no token in it. */
export const sessionOf = (c: PortalContext): SessionReference | undefined =>
  readSessionToken(readCookie(c, SESSION_COOKIE.name));

/** The rules for session tokens. */
export interface SessionTokenRules {
  readonly store: Pick<AccountStore, 'keyTagSecrets'>;
  /** Until this moment, in epoch milliseconds, older tokens without a tag are accepted, too. */
  readonly untaggedUntilMs: number;
}

/**
 * The same, unless the tag shows, without I/O, that the token was invented. If the secret of the tags cannot be read,
 * tags are not checked.
 */
export async function ownSessionOf(
  c: PortalContext,
  { store, untaggedUntilMs }: SessionTokenRules,
): Promise<SessionReference | undefined> {
  const token = readCookie(c, SESSION_COOKIE.name);
  const reference = readSessionToken(token);
  if (token === undefined || !reference) return undefined;
  const secrets = await store.keyTagSecrets().catch(() => undefined);
  const isOwn = !secrets || hasSessionTag(token, secrets) || c.get('state').receivedAtMs < untaggedUntilMs;
  return isOwn ? reference : undefined;
}
