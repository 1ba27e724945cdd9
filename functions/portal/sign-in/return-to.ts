/**
 * The longest path that is stored, as in a URL. It is in a cookie, and browsers keep cookies of 4,096 bytes (RFC
 * 6265bis).
 */
const MAX_CHARACTERS = 1_000;
const HOME = '/';

/**
 * The portal's path to return to after the sign-in. It is the home page for anything else, including what a browser
 * would read as another site's address.
 */
export function readReturnTo(text: string | undefined, portalOrigin: string): string {
  if (!text?.startsWith('/')) return HOME;
  // Parsed as by a browser: backslashes are slashes; tabs and line ends are removed.
  const url = URL.canParse(text, portalOrigin) ? new URL(text, portalOrigin) : undefined;
  if (url?.origin !== portalOrigin) return HOME;
  const { pathname, search, hash } = url;
  // `/.//elsewhere` has the right origin, but is another site's address once its dots are resolved. The API has no
  // pages.
  if (pathname.startsWith('//') || /^\/api(\/|$)/.test(pathname)) return HOME;
  // Checked here, because a non-ASCII character is up to six times as long in a URL.
  const path = pathname + search + hash;
  return path.length > MAX_CHARACTERS ? HOME : path;
}
