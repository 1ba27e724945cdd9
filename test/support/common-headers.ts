/** The headers of every response of a function, for callers without an allowed origin. */
export const commonHeaders = (requestId: string): Record<string, string> => ({
  'x-service-request-id': requestId,
  'cache-control': 'no-store',
  vary: 'Origin',
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key',
  'access-control-max-age': '600',
  'access-control-expose-headers':
    'X-Service-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Service-Quota-Limit, ' +
    'X-Service-Quota-Remaining, X-Service-Quota-Reset, X-Service-Quota-Metric, RateLimit-Policy, RateLimit, ' +
    'X-Service-Idempotency-Replayed, X-Service-Simulated, X-Should-Retry, Retry-After, WWW-Authenticate, Link',
});
