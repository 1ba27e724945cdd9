import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { PortalContext } from './environment.ts';

/**
 * What browsers that know the prefix take only from the server, over a safe connection, for this host and all its paths
 * (RFC 6265bis): neither a script nor a neighbouring host can make such a cookie.
 */
const PREFIX = '__Host-Http-';
const ATTRIBUTES = { path: '/', secure: true, httpOnly: true } as const;

/** A cookie of the portal. */
export interface PortalCookie {
  /** After the prefix. */
  readonly name: string;
  /** Whether other sites may lead here with it (`Lax`) or not (`Strict`). */
  readonly sameSite: 'Strict' | 'Lax';
  /** Absent: until the browser is closed. */
  readonly maxAgeSeconds?: number;
}

/** The value of a cookie of the request; undefined: there is none. */
export const readCookie = (c: PortalContext, name: string): string | undefined => getCookie(c, PREFIX + name);

/** The names, after the prefix, of the request's cookies that begin so; browsers send the oldest first. */
export const cookieNames = (c: PortalContext, beginning: string): string[] =>
  Object.keys(getCookie(c))
    .filter((name) => name.startsWith(PREFIX + beginning))
    .map((name) => name.slice(PREFIX.length));

/** Has the browser keep a cookie. */
export function sendCookie(c: PortalContext, { name, sameSite, maxAgeSeconds }: PortalCookie, value: string): void {
  const age = maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds };
  setCookie(c, PREFIX + name, value, { ...ATTRIBUTES, sameSite, ...age });
}

/** Has the browser forget a cookie. */
export function clearCookie(c: PortalContext, { name, sameSite }: PortalCookie): void {
  deleteCookie(c, PREFIX + name, { ...ATTRIBUTES, sameSite });
}
