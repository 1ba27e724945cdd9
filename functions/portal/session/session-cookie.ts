import type { AccountStore } from '../../accounts/account-store.ts';
import { hasSessionTag, readSessionToken, type SessionReference } from '../../accounts/sessions.ts';
import { readCookie, type PortalCookie } from '../cookies.ts';
import type { PortalContext } from '../environment.ts';

/** Holds the session's token. `Strict`: no other site can make a request with it. */
export const SESSION_COOKIE: PortalCookie = { name: 'session', sameSite: 'Strict' };

/** The session that a request's cookie stands for; undefined: there is no such cookie, or nothing like a token in it. */
export const sessionOf = (c: PortalContext): SessionReference | undefined =>
  readSessionToken(readCookie(c, SESSION_COOKIE.name));

/** What session tokens are held to. */
export interface SessionTokenRules {
  readonly store: Pick<AccountStore, 'keyTagSecrets'>;
  /** Before this moment, in epoch milliseconds, tokens without a tag are taken, too: those from before there were tags. */
  readonly untaggedUntilMs: number;
}

/**
 * The same, unless its token was made up, which its tag tells without I/O. Where the secret of the tags cannot be had, no
 * tag is asked for.
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
