import { readSessionToken, type SessionReference } from '../../accounts/sessions.ts';
import { readCookie, type PortalCookie } from '../cookies.ts';
import type { PortalContext } from '../environment.ts';

/** Holds the session's token. `Strict`: no other site can make a request with it. */
export const SESSION_COOKIE: PortalCookie = { name: 'session', sameSite: 'Strict' };

/** The session that a request's cookie stands for; undefined: there is no such cookie, or nothing like a token in it. */
export const sessionOf = (c: PortalContext): SessionReference | undefined =>
  readSessionToken(readCookie(c, SESSION_COOKIE.name));
