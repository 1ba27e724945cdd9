import type { MiddlewareObj } from '@middy/core';
import httpCors from '@middy/http-cors';
import { HEADERS } from '../wiring.ts';

const ALLOWED_METHODS = 'GET, POST, OPTIONS';
const ALLOWED_REQUEST_HEADERS = 'Authorization, Content-Type, Idempotency-Key';
const EXPOSED_HEADERS = [...Object.values(HEADERS), 'Retry-After', 'WWW-Authenticate'].join(', ');
/** How long a browser may keep a preflight's answer. Short: a changed origin list takes effect within it. */
const PREFLIGHT_MAX_AGE_SECONDS = 600;

/**
 * Cross-origin access for exactly the given origins, byte for byte. The library's own `origins` option folds case and
 * ports, and leaves `Vary` out for a single origin; a comparison of our own and a fixed `Vary` do neither.
 */
export const cors = (allowedOrigins: readonly string[]): MiddlewareObj =>
  httpCors({
    getOrigin: (incomingOrigin) => (allowedOrigins.includes(incomingOrigin) ? incomingOrigin : null),
    vary: 'Origin',
    methods: ALLOWED_METHODS,
    headers: ALLOWED_REQUEST_HEADERS,
    exposeHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE_SECONDS,
    disableBeforePreflightResponse: false,
  }) as MiddlewareObj;
