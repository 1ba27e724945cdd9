import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Hono } from 'hono';
import { knownEvent, type KnownEvent } from '../../shared/http/http-event.ts';
import type { PortalEnvironment } from './hono-context.ts';

/** The methods of the portal's routes, and HEAD, whose answers have no body. */
const METHODS: ReadonlySet<string> = new Set(['DELETE', 'GET', 'HEAD', 'PATCH', 'POST']);
/** Replaces every other method: a `Request` refuses some. */
const ANOTHER_METHOD = 'OPTIONS';
/** Behind CloudFront the host of a request is the API's. It must not be used as the portal's. */
const HOST = 'https://api.invalid';

export type PortalHandler = (event: APIGatewayProxyEventV2) => Promise<APIGatewayProxyStructuredResultV2>;

/**
 * An app as a Lambda function behind an HTTP API, for any event. Hono's own adapter is deprecated. It also refuses
 * requests that a `Request` cannot carry by itself, without a request id.
 */
export const lambdaHandler =
  (app: Pick<Hono<PortalEnvironment>, 'fetch'>): PortalHandler =>
  async (event) => {
    const known = knownEvent(event);
    return resultOf(await app.fetch(requestOf(known), { event: known }));
  };

function requestOf({ rawPath, rawQueryString, requestContext, headers, cookies, body, isBase64Encoded }: KnownEvent) {
  const sent = requestContext.http.method.toUpperCase();
  const method = METHODS.has(sent) ? sent : ANOTHER_METHOD;
  const carriesBody = body !== undefined && method !== 'GET' && method !== 'HEAD';
  return new Request(`${HOST}${asSent(rawPath)}?${rawQueryString}`, {
    method,
    headers: {
      ...Object.fromEntries(Object.entries(headers).filter(([name, value]) => NAME.test(name) && VALUE.test(value))),
      // Cookies are a separate part of the event: a header of that name is ignored.
      cookie: cookies.filter((cookie) => VALUE.test(cookie)).join('; '),
    },
    ...(carriesBody && { body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') }),
  });
}

/**
 * A path that a `Request` leaves as it was sent. It would resolve segments of dots, also encoded ones, and so reach a
 * path below which the caller did not ask: a rule for paths in front of the function would judge another one.
 */
const asSent = (rawPath: string): string =>
  (rawPath.startsWith('/') ? rawPath : `/${rawPath}`)
    .replace(CHANGED, encodeURIComponent)
    .replace(DOTS, (segment) => segment.replaceAll(/\.|%2e/gi, '%252e'));
/** What a URL drops, takes for a slash, or takes for the end of its path. */
const CHANGED = /[\t\n\r\\?#]/g;
const DOTS = /(?<=\/)(?:\.|%2e){1,2}(?=\/|$)/gi;

/** The valid names and values of a header (RFC 9110, section 5). */
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const VALUE = /^[\t\x20-\x7E\x80-\xFF]*$/;

async function resultOf(response: Response): Promise<APIGatewayProxyStructuredResultV2> {
  const headers = [...response.headers].filter(([name]) => name !== 'set-cookie');
  return {
    statusCode: response.status,
    headers: Object.fromEntries(headers),
    cookies: response.headers.getSetCookie(),
    body: await response.text(),
  };
}
