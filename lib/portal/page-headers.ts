/** A year: browsers keep to HTTPS, and may keep what never changes. */
const YEAR_SECONDS = 31_536_000;

/** Of files whose names hold their hash; of the page itself, which names them. */
export const CACHING = { hashed: `public, max-age=${YEAR_SECONDS}, immutable`, page: 'no-store' } as const;

/** Headers of the API's answers beside those of its contract. */
export const API_HEADERS = {
  'Strict-Transport-Security': `max-age=${YEAR_SECONDS}; includeSubDomains`,
  'X-Content-Type-Options': 'nosniff',
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
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  ...API_HEADERS,
});
