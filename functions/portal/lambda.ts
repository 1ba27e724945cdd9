import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Hono } from 'hono';
import type { PortalEnvironment } from './environment.ts';

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
    const known = normalised(event);
    return resultOf(await app.fetch(requestOf(known), { event: known }));
  };

function requestOf({ rawPath, rawQueryString, requestContext, headers, cookies, body, isBase64Encoded }: PortalEvent) {
  const { method } = requestContext.http;
  const carriesBody = body !== undefined && method !== 'GET' && method !== 'HEAD';
  return new Request(`${HOST}${rawPath}?${rawQueryString}`, {
    method,
    // Cookies are a separate part of the event: a header of that name is ignored.
    headers: { ...headers, cookie: cookies.join('; ') },
    ...(carriesBody && { body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8') }),
  });
}

async function resultOf(response: Response): Promise<APIGatewayProxyStructuredResultV2> {
  const headers = [...response.headers].filter(([name]) => name !== 'set-cookie');
  return {
    statusCode: response.status,
    headers: Object.fromEntries(headers),
    cookies: response.headers.getSetCookie(),
    body: await response.text(),
  };
}

/** The parts of an event that the portal reads, each present and of its type. */
interface PortalEvent extends Pick<APIGatewayProxyEventV2, 'rawPath' | 'rawQueryString' | 'body' | 'isBase64Encoded'> {
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];
  readonly requestContext: { readonly requestId: string; readonly http: { readonly method: string } };
}

function normalised(event: unknown): PortalEvent {
  const { rawPath, rawQueryString, headers, cookies, body, isBase64Encoded, requestContext } = objectOf(event);
  const context = objectOf(requestContext);
  const method = textOf(objectOf(context.http).method).toUpperCase();
  const path = textOf(rawPath);
  return {
    rawPath: path.startsWith('/') ? path : `/${path}`,
    rawQueryString: textOf(rawQueryString),
    headers: Object.fromEntries(Object.entries(objectOf(headers)).flatMap(([name, value]) => headerOf(name, value))),
    cookies: Array.isArray(cookies) ? cookies.map(textOf).filter((cookie) => VALUE.test(cookie)) : [],
    ...(typeof body === 'string' && { body }),
    isBase64Encoded: isBase64Encoded === true,
    requestContext: {
      requestId: textOf(context.requestId),
      http: { method: METHODS.has(method) ? method : ANOTHER_METHOD },
    },
  };
}

/** The valid names and values of a header (RFC 9110, section 5). */
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const VALUE = /^[\t\x20-\x7E\x80-\xFF]*$/;

/** A header under its lower-case name; empty if it is invalid. */
const headerOf = (name: string, value: unknown): [string, string][] =>
  NAME.test(name) && typeof value === 'string' && VALUE.test(value) ? [[name.toLowerCase(), value]] : [];

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
