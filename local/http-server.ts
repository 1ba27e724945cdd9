import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { ROUTES } from '../functions/gateway/operations/index.ts';
import { DEFAULT_ROUTE_FUNCTION, HEADERS, routeKeyOf, type FunctionName } from '../functions/shared/names.ts';
import { errorView } from '../functions/shared/telemetry.ts';
import { GatewayError, type ErrorCode } from '../functions/shared/http/errors.ts';
import { requestIdAt } from '../functions/shared/ids.ts';
import { problemResponse } from '../functions/gateway/middleware/request-context.ts';
import { readBody } from './listening.ts';
import { isUtf8 } from 'node:buffer';

export type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;
export type Handlers = Readonly<Record<FunctionName, Handler>>;

/** The largest body of an HTTP API, in bytes (AWS, "Quotas for HTTP APIs"); it answers 413 itself. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** The longest request line and headers of an HTTP API, in bytes (same page). */
const MAX_HEADER_BYTES = 10_240;
/** The longest time to send a request; an HTTP API waits 30 s at most. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How often a draining server checks for idle connections. */
const DRAIN_CHECK_MS = 25;

/** Answers a request for a page that only this server has; undefined: it is for no such page. */
export type Pages = (request: IncomingMessage) => Promise<APIGatewayProxyStructuredResultV2> | undefined;

export interface FunctionServer {
  readonly server: Server;
  /** Stops listening. Resolves when every request in flight is answered, or after `timeoutMs`. */
  drain(timeoutMs: number): Promise<void>;
}

/** The function for a request, and the route key that API Gateway would use. */
export type Dispatch = (
  method: string | undefined,
  path: string,
) => { readonly routeKey: string; readonly handler: Promise<Handler> };

/** The gateway's server: the routes of the contract. */
export const gatewayServer = (handlers: Promise<Handlers>, pages?: Pages): FunctionServer =>
  functionServer((method, path) => {
    const route = ROUTES.find((candidate) => candidate.method === method && candidate.path === path);
    return {
      routeKey: route ? routeKeyOf(route) : '$default',
      handler: handlers.then((all) => all[route?.function ?? DEFAULT_ROUTE_FUNCTION]),
    };
  }, pages);

/**
 * A plain HTTP server instead of API Gateway, for development. It turns requests into events. Its own refusals have the
 * gateway's error body; invalid HTTP gets Node's own 400. `pages` are paths that only this server has.
 */
export function functionServer(dispatch: Dispatch, pages: Pages = () => undefined): FunctionServer {
  const unused = new Set<Socket>();
  let draining = false;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request, MAX_BODY_BYTES);
    const result =
      body === undefined ? ownProblem('PAYLOAD_TOO_LARGE') : await (pages(request) ?? invoke(request, body));
    if (draining) response.shouldKeepAlive = false;
    sendResult(response, result);
  };

  const invoke = async (request: IncomingMessage, body: Buffer): Promise<APIGatewayProxyStructuredResultV2> => {
    const [path = '/'] = (request.url ?? '/').split('?', 1);
    const { routeKey, handler } = dispatch(request.method, path);
    const event = toEvent(request, body, { requestId: randomUUID(), routeKey, timeEpoch: Date.now() });
    return (await handler)(event, {} as Context);
  };

  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: REQUEST_TIMEOUT_MS });
  server.on('connection', (socket) => {
    unused.add(socket);
    socket.on('close', () => unused.delete(socket));
  });
  server.on('request', (request, response) => {
    unused.delete(request.socket);
    serve(request, response).catch((error: unknown) => {
      // A client that left during its request needs no answer; anything else is a defect.
      if (request.destroyed && !request.complete) return;
      process.stderr.write(`${JSON.stringify({ level: 'ERROR', message: 'not served', error: errorView(error) })}\n`);
      if (response.headersSent) response.destroy();
      else sendResult(response, ownProblem('INTERNAL_ERROR'));
    });
  });

  return {
    server,
    drain: async (timeoutMs) => {
      draining = true;
      const closed = new Promise((resolve) => server.close(resolve));
      // Node would wait for a connection without any request, such as one that a browser opened in advance.
      for (const socket of unused) socket.destroy();
      const idle = setInterval(() => server.closeIdleConnections(), DRAIN_CHECK_MS);
      const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
      await closed;
      clearInterval(idle);
      clearTimeout(timer);
    },
  };
}

/** A refusal by this server itself, before any function sees the request. */
function ownProblem(code: ErrorCode): APIGatewayProxyStructuredResultV2 {
  const requestId = requestIdAt(Date.now(), randomBytes);
  const { headers, ...problem } = problemResponse(new GatewayError(code), requestId);
  return { ...problem, headers: { ...headers, [HEADERS.requestId]: requestId, 'Cache-Control': 'no-store' } };
}

/** What API Gateway would know about a request, and `node:http` does not. */
interface Delivery {
  readonly requestId: string;
  readonly routeKey: string;
  readonly timeEpoch: number;
}

/** Content types whose bodies API Gateway passes as text. */
const TEXT_TYPE = /^(text\/|application\/(json|javascript|xml)|[^;]*\+(json|xml))/i;

/** The payload-2.0 event that an HTTP API would send for a request. */
function toEvent(request: IncomingMessage, body: Buffer, delivery: Delivery): APIGatewayProxyEventV2 {
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
function sendResult(response: ServerResponse, result: APIGatewayProxyStructuredResultV2): void {
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
