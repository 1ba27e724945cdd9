import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import type { PortalEnvironment } from './environment.ts';

/** What an HTTP API can route; the rest a `Request` may refuse to carry. */
const METHODS: ReadonlySet<string> = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT']);
/** Stands for each method that no path takes. */
const ANOTHER_METHOD = 'OPTIONS';

export type PortalHandler = (
  event: APIGatewayProxyEventV2,
  context: Context,
) => Promise<APIGatewayProxyStructuredResultV2>;

/** An app as a Lambda function behind an HTTP API, whatever event comes. */
export function lambdaHandler(app: Hono<PortalEnvironment>): PortalHandler {
  const respond = handle(app);
  return async (event, context) => (await respond(normalised(event), context as never)) as never;
}

/**
 * An event that becomes a `Request`, whatever was passed in. Behind CloudFront its host is the API's and says nothing of
 * the portal's: it gets one that nobody takes for it.
 */
function normalised(event: unknown): never {
  const { body, isBase64Encoded, cookies, ...given } = objectOf(event);
  const requestContext = objectOf(given.requestContext);
  const http = objectOf(requestContext.http);
  const method = textOf(http.method).toUpperCase();
  const headers = Object.entries(objectOf(given.headers)).filter(([name, value]) => isHeader(name, value));
  const carriesBody = method !== 'GET' && method !== 'HEAD' && typeof body === 'string';
  const path = textOf(given.rawPath);
  return {
    ...given,
    rawPath: path.startsWith('/') ? path : `/${path}`,
    rawQueryString: textOf(given.rawQueryString),
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    cookies: Array.isArray(cookies) ? cookies.filter((cookie) => typeof cookie === 'string') : [],
    ...(carriesBody && { body }),
    isBase64Encoded: isBase64Encoded === true,
    requestContext: {
      ...requestContext,
      domainName: 'api.invalid',
      requestId: textOf(requestContext.requestId),
      http: { ...http, method: METHODS.has(method) ? method : ANOTHER_METHOD },
    },
  } as never;
}

/** Whether it is a header at all (RFC 9110, section 5), and none of cookies: those come by themselves. */
const isHeader = (name: string, value: unknown): boolean =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(name) &&
  name.toLowerCase() !== 'cookie' &&
  typeof value === 'string' &&
  // eslint-disable-next-line no-control-regex
  !/[\0\r\n]/.test(value);

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
