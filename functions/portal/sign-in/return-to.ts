/** Longest path that is remembered, as a URL has it: it travels in a cookie, of which browsers keep 4,096 bytes (RFC 6265bis). */
const MAX_CHARACTERS = 1_000;
const HOME = '/';

/**
 * The path of the portal's own that a person comes back to after the sign-in. Anything that is none, and what a browser
 * would take for another site's address, is home.
 */
export function readReturnTo(text: string | undefined, portalOrigin: string): string {
  if (!text?.startsWith('/')) return HOME;
  // As a browser reads it: backslashes are slashes, tabs and line ends are nothing.
  const url = URL.canParse(text, portalOrigin) ? new URL(text, portalOrigin) : undefined;
  if (url?.origin !== portalOrigin) return HOME;
  const { pathname, search, hash } = url;
  // `/.//elsewhere` has the right origin, and is another site's address once its dots are resolved. The API shows nothing.
  if (pathname.startsWith('//') || /^\/api(\/|$)/.test(pathname)) return HOME;
  // Only now: what is not ASCII is up to six times as long in a URL.
  const path = pathname + search + hash;
  return path.length > MAX_CHARACTERS ? HOME : path;
}
