/** A year: browsers keep to HTTPS, and may keep what never changes. */
const YEAR_SECONDS = 31_536_000;

/** Of files whose names hold their hash; of the page itself, which names them. */
export const CACHING = { hashed: `public, max-age=${YEAR_SECONDS}, immutable`, page: 'no-store' } as const;

/** Of pages, files and the API alike. */
const ALL_HEADERS = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  // Of this host alone: what is below its domain need not be the portal's. The stage may say otherwise.
  'Strict-Transport-Security': `max-age=${YEAR_SECONDS}`,
  'X-Content-Type-Options': 'nosniff',
} as const;

/**
 * Headers of the API's answers beside those of its contract: for no frame, no window of another origin and no element
 * of its pages. A page of a neighbouring host sends the session's cookie along (`SameSite` counts sites, not origins).
 */
export const API_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  ...ALL_HEADERS,
} as const;

/**
 * Headers of everything that is served of the portal's app. Scripts, styles and images are its own files; its requests
 * go to its own origin and to the gateway's, for the test ping.
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
  ...ALL_HEADERS,
});
