/** A year: for HTTPS, and for files that never change. */
const YEAR_SECONDS = 31_536_000;

/** For files with their hash in the name, and for the page itself, which names them. */
export const CACHING = { hashed: `public, max-age=${YEAR_SECONDS}, immutable`, page: 'no-cache' } as const;

/** Where the catalog of the APIs is (RFC 9727), which every page and file leads to. */
export const CATALOG_PATH = '/.well-known/api-catalog';

/** For pages, files and the API alike. */
const ALL_HEADERS = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  // For this host only: hosts below its domain may belong to others.
  'Strict-Transport-Security': `max-age=${YEAR_SECONDS}`,
  'X-Content-Type-Options': 'nosniff',
} as const;

/**
 * Headers of the API's answers in addition to its contract: no frame, window or page of another origin may use them. A
 * page of a neighbouring host sends the session's cookie along (`SameSite` compares sites, not origins).
 */
export const API_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  ...ALL_HEADERS,
} as const;

/**
 * Headers of all files of the portal's app. Scripts, styles and images are its own files. Its requests go to its own
 * origin, and to the gateway's for the test ping.
 */
export const pageHeaders = (gatewayOrigin: string): Readonly<Record<string, string>> => ({
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ${gatewayOrigin}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  Link: `<${CATALOG_PATH}>; rel="api-catalog"`,
  ...ALL_HEADERS,
});
