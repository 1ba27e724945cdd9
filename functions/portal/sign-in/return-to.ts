/** Longest path that is remembered: it travels in a cookie. */
const MAX_CHARACTERS = 1_000;
const HOME = '/';

/**
 * The path of the portal's own that a person comes back to after the sign-in. Anything that is none, and what a browser
 * would take for another site's address, is home.
 */
export function readReturnTo(text: string | undefined, portalOrigin: string): string {
  if (text === undefined || text.length > MAX_CHARACTERS || !text.startsWith('/')) return HOME;
  // As a browser reads it: backslashes are slashes, tabs and line ends are nothing.
  const url = URL.canParse(text, portalOrigin) ? new URL(text, portalOrigin) : undefined;
  if (url?.origin !== portalOrigin) return HOME;
  const { pathname, search, hash } = url;
  // `/.//elsewhere` has the right origin, and is another site's address once its dots are resolved. The API shows nothing.
  if (pathname.startsWith('//') || /^\/api(\/|$)/.test(pathname)) return HOME;
  return pathname + search + hash;
}
