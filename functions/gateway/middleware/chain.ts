import middy, { type MiddyfiedHandler, type MiddlewareObj } from '@middy/core';
import httpCors from '@middy/http-cors';
import { problems, requestContext, type RequestContextDependencies } from './request-context.ts';
import type { GatewayContext, HttpEvent, HttpResponse, GatewayMiddleware } from './request-state.ts';
import { GatewayError } from '../../shared/http/errors.ts';
import { routeKeyOf, HEADERS, type FunctionName, type Route } from '../../shared/names.ts';
import { conveysApiKey } from '../../shared/credentials/credential-text.ts';

export interface ChainDependencies extends RequestContextDependencies {
  /** Other origins that may read responses, compared byte for byte. */
  readonly allowedOrigins: readonly string[];
}

export type GatewayHandler = (event: HttpEvent, context: GatewayContext) => Promise<HttpResponse>;
export type MiddyChain = MiddyfiedHandler<HttpEvent, HttpResponse, Error, GatewayContext>;

/** A Middy instance over a handler of this gateway. */
export const middyChain = (handler: GatewayHandler): MiddyChain =>
  middy<HttpEvent, HttpResponse, Error, GatewayContext>(handler);

/**
 * The two outer Middy instances of both functions. They are separate, because a `before` that answers early (a
 * preflight, a replay) skips every `after` of its own instance. The instance around it still adds its headers. `own` is
 * the middleware that one function adds to the inner of the two.
 */
export function gatewayChain(
  inner: GatewayHandler,
  served: Served,
  dependencies: ChainDependencies,
  own: readonly MiddlewareObj<HttpEvent, HttpResponse, Error, GatewayContext>[] = [],
): MiddyChain {
  const rendered = middyChain(inner)
    .use(misplacedKeys(served.by))
    .use(router(served))
    .use(cors(dependencies.allowedOrigins))
    .use([...own])
    .use(problems());
  return middyChain(rendered).use(requestContext(dependencies));
}

/** The part of an API that a function serves. */
export interface Served {
  /** Every route of the API. */
  readonly routes: readonly Route[];
  /** The function whose routes are served; those of the other function are unknown to it. */
  readonly by: FunctionName;
}

/**
 * Refuses what the function does not serve: 404 for an unknown path, 405 with `Allow` for a known one. It runs before
 * CORS, which would answer an OPTIONS request to any path.
 */
function router({ routes, by }: Served): GatewayMiddleware {
  const own = new Set(routes.filter((route) => route.function === by).map(routeKeyOf));
  const all = new Set(routes.map(routeKeyOf));
  return {
    before: ({ event }) => {
      const routeKey = routeKeyOfEvent(event);
      if (own.has(routeKey)) return;
      const methods = routes.filter(({ path }) => path === event.rawPath).map(({ method }) => method);
      if (methods.length === 0 || all.has(routeKey)) throw new GatewayError('NOT_FOUND');
      throw new GatewayError('METHOD_NOT_ALLOWED', { headers: { Allow: methods.join(', ') } });
    },
  };
}

/** The route that API Gateway matched. An event without one is not from API Gateway, and is matched here. */
export const routeKeyOfEvent = ({ routeKey, rawPath, requestContext }: HttpEvent): string =>
  routeKey || routeKeyOf({ method: requestContext.http.method, path: rawPath });

/** The specification's three (section 5). HEAD is served, too: it needs no mention, since browsers allow it always. */
const ALLOWED_METHODS = 'GET, POST, OPTIONS';
const ALLOWED_REQUEST_HEADERS = 'Authorization, Content-Type, Idempotency-Key';
const EXPOSED_HEADERS = [...Object.values(HEADERS), 'Retry-After', 'WWW-Authenticate', 'Link'].join(', ');
/** How long a browser may cache a preflight. It is short, so that a changed list of origins takes effect soon. */
const PREFLIGHT_MAX_AGE_SECONDS = 600;

/**
 * Cross-origin access for exactly the given origins, byte for byte. The library's own `origins` option ignores case and
 * ports, and omits `Vary` for a single origin. So the comparison and `Vary` are our own.
 */
const cors = (allowedOrigins: readonly string[]): MiddlewareObj =>
  httpCors({
    getOrigin: (incomingOrigin) => (allowedOrigins.includes(incomingOrigin) ? incomingOrigin : null),
    vary: 'Origin',
    methods: ALLOWED_METHODS,
    headers: ALLOWED_REQUEST_HEADERS,
    exposeHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE_SECONDS,
    disableBeforePreflightResponse: false,
  }) as MiddlewareObj;

/**
 * Refuses every request that holds a key or a token in its address, a cookie or its body, whatever else it is, also a
 * preflight: what is answered is sent again. It runs before anything is read, and leaves no event.
 *
 * @example
 *   middyChain(handler).use(misplacedKeys('metered')).use(router(served));
 */
const misplacedKeys = (by: FunctionName): GatewayMiddleware => ({
  before: ({ event }) => {
    const places = placesOf(event).flatMap(([place, text]) => (conveysApiKey(text) ? [place] : []));
    if (places.length === 0) return;
    const needsKey = by === 'metered' && event.requestContext.http.method !== 'OPTIONS';
    const isMissing = needsKey && !event.headers.authorization?.trim();
    throw new GatewayError(isMissing ? 'MISSING_API_KEY' : 'INVALID_REQUEST', {
      detail: `An API key or a management token is in ${places.join(' and ')} of this request. It now stands in logs on the way: rotate it, and send the new one in the header Authorization: Bearer <API_KEY> only.`,
    });
  },
});

/** The text of each place where no key may be. */
const placesOf = ({ rawPath, rawQueryString, cookies = [], headers, body = '', isBase64Encoded }: HttpEvent) =>
  [
    ['the path', rawPath],
    ['the query string', rawQueryString],
    ['a cookie', [headers.cookie, ...cookies].join(';')],
    ['the body', isBase64Encoded ? Buffer.from(body, 'base64').toString('latin1') : body],
  ] as const;
