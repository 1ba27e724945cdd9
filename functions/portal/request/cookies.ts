import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { PortalContext } from './hono-context.ts';

/**
 * Browsers that know this prefix accept such a cookie only from the server, over a secure connection, for this host and
 * all its paths (RFC 6265bis). Neither a script nor a neighbouring host can set it.
 */
const PREFIX = '__Host-Http-';
const ATTRIBUTES = { path: '/', secure: true, httpOnly: true } as const;

/** A cookie of the portal. */
export interface PortalCookie {
  /** After the prefix. */
  readonly name: string;
  /** Whether a navigation from another site sends it (`Lax`) or not (`Strict`). */
  readonly sameSite: 'Strict' | 'Lax';
  /** Absent: until the browser is closed. */
  readonly maxAgeSeconds?: number;
}

/** The value of a cookie of the request; undefined: there is none. */
export const readCookie = (c: PortalContext, name: string): string | undefined => getCookie(c, PREFIX + name);

/** The names, without the prefix, of the request's cookies that begin with this; browsers send the oldest first. */
export const cookieNames = (c: PortalContext, beginning: string): string[] =>
  Object.keys(getCookie(c))
    .filter((name) => name.startsWith(PREFIX + beginning))
    .map((name) => name.slice(PREFIX.length));

/** Sets a cookie in the browser. */
export function sendCookie(c: PortalContext, { name, sameSite, maxAgeSeconds }: PortalCookie, value: string): void {
  const age = maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds };
  setCookie(c, PREFIX + name, value, { ...ATTRIBUTES, sameSite, ...age });
}

/** Deletes a cookie in the browser. */
export function clearCookie(c: PortalContext, { name, sameSite }: PortalCookie): void {
  deleteCookie(c, PREFIX + name, { ...ATTRIBUTES, sameSite });
}
