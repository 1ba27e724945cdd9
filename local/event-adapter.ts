import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';

/** What API Gateway would know about a request, and `node:http` does not. */
export interface Delivery {
  readonly requestId: string;
  readonly routeKey: string;
  readonly timeEpoch: number;
}

/** Content types whose bodies API Gateway passes as text. */
const TEXT_TYPE = /^(text\/|application\/(json|javascript|xml)|[^;]*\+(json|xml))/i;

/** The payload-2.0 event that an HTTP API would send for a request. */
export function toEvent(request: IncomingMessage, body: Buffer, delivery: Delivery): APIGatewayProxyEventV2 {
  const [rawPath = '/', ...query] = (request.url ?? '/').split('?');
  const rawQueryString = query.join('?');
  const { cookie, ...headers } = joinHeaders(request.rawHeaders);
  const method = request.method ?? 'GET';
  const isText = TEXT_TYPE.test(headers['content-type'] ?? '') && isUtf8(body);
  const host = headers.host ?? 'localhost';
  return {
    version: '2.0',
    routeKey: delivery.routeKey,
    rawPath,
    rawQueryString,
    ...(cookie !== undefined && { cookies: cookie.split(/; */) }),
    headers,
    ...(rawQueryString !== '' && { queryStringParameters: Object.fromEntries(new URLSearchParams(rawQueryString)) }),
    requestContext: {
      accountId: 'local',
      apiId: 'local',
      domainName: host,
      domainPrefix: 'local',
      http: {
        method,
        path: rawPath,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp: request.socket.remoteAddress ?? '',
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: delivery.requestId,
      routeKey: delivery.routeKey,
      stage: '$default',
      time: new Date(delivery.timeEpoch).toUTCString(),
      timeEpoch: delivery.timeEpoch,
    },
    ...(body.length > 0 && { body: body.toString(isText ? 'utf8' : 'base64') }),
    isBase64Encoded: body.length > 0 && !isText,
  };
}

/** Writes what a function returned. */
export function sendResult(response: ServerResponse, result: APIGatewayProxyStructuredResultV2): void {
  response.statusCode = result.statusCode ?? 200;
  for (const [name, value] of Object.entries(result.headers ?? {})) response.setHeader(name, String(value));
  if (result.cookies && result.cookies.length > 0) response.setHeader('Set-Cookie', result.cookies);
  response.end(Buffer.from(result.body ?? '', result.isBase64Encoded ? 'base64' : 'utf8'));
}

/** Lower-case names, duplicates joined with commas as API Gateway does; Node would keep the first `Authorization`. */
function joinHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = [rawHeaders[i]?.toLowerCase(), rawHeaders[i + 1]];
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  return Object.fromEntries(headers);
}
