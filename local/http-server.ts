import { randomUUID } from 'node:crypto';
import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { ROUTES } from '../functions/routes.ts';
import { DEFAULT_ROUTE_FUNCTION, HEADERS, routeKeyOf, type FunctionName } from '../functions/wiring.ts';
import { errorView } from '../functions/core/error-view.ts';
import { GatewayError, type ErrorCode } from '../functions/core/errors.ts';
import { problemResponse } from '../functions/middleware/problems.ts';
import { trackConnections } from './connections.ts';
import type { Pages } from './docs.ts';
import { sendResult, toEvent } from './event-adapter.ts';

type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<APIGatewayProxyStructuredResultV2>;
export type Handlers = Readonly<Record<FunctionName, Handler>>;

/** Largest body an HTTP API takes, in bytes (AWS, "Quotas for HTTP APIs"); it answers 413 itself. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** Longest request line and headers an HTTP API takes, in bytes (same page). */
const MAX_HEADER_BYTES = 10_240;
/** Longest time to send a request, until it is refused; an HTTP API waits 30 s at most. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How often within that time Node looks for requests that are late; by itself, every 30 s. */
const TIMEOUT_CHECKS = 30;
/** Time for a client whose bytes were refused to read the answer and end its side. */
const LINGER_MS = 500;

export interface GatewayServer {
  readonly server: Server;
  /** Stops listening and resolves when every request in flight is answered, or after `timeoutMs` in any case. */
  drain(timeoutMs: number): Promise<void>;
}

/**
 * An HTTP server in API Gateway's place: the routes of the contract, its limits, its events. What API Gateway would
 * refuse by itself is refused here with the gateway's error body. `pages` are the paths that only this server has.
 * No server library answers all that Node leaves without an answer, or in turn (docs/decisions.md, "Tests and tools").
 */
export function gatewayServer(
  handlers: Promise<Handlers>,
  pages: Pages = () => undefined,
  requestTimeoutMs = REQUEST_TIMEOUT_MS,
): GatewayServer {
  let draining = false;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    const result =
      body === 'tooLarge' ? ownProblem('PAYLOAD_TOO_LARGE') : await (pages(request) ?? invoke(request, body));
    // A client that goes on using the connection would be cut off in its next request; one sent already is not.
    const isLast = draining && connections.isNewest(request);
    if (isLast || body === 'tooLarge') response.setHeader('Connection', 'close');
    sendResult(response, result);
  };

  const invoke = async (request: IncomingMessage, body: Buffer): Promise<APIGatewayProxyStructuredResultV2> => {
    const path = (request.url ?? '/').split('?', 1)[0];
    const route = ROUTES.find((candidate) => candidate.method === request.method && candidate.path === path);
    const event = toEvent(request, body, {
      requestId: randomUUID(),
      routeKey: route ? routeKeyOf(route) : '$default',
      timeEpoch: Date.now(),
    });
    const handler = (await handlers)[route?.function ?? DEFAULT_ROUTE_FUNCTION];
    return handler(event, {} as Context);
  };

  const checkIntervalMs = requestTimeoutMs / TIMEOUT_CHECKS;
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    requestTimeout: requestTimeoutMs - checkIntervalMs,
    connectionsCheckingInterval: checkIntervalMs,
    // Node would refuse such a request itself, without our error body.
    requireHostHeader: false,
  });
  // A client that has ended its own side still waits for its answers: Node would hang up on it.
  Object.assign(server, { httpAllowHalfOpen: true });
  const connections = trackConnections(server);
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    serve(request, response).catch((error: unknown) => {
      // A client that went away in the middle of its request needs no answer; anything else is a defect.
      if (request.destroyed && !request.complete) return;
      process.stderr.write(`${JSON.stringify({ level: 'ERROR', message: 'not served', error: errorView(error) })}\n`);
      if (response.headersSent) response.destroy();
      else sendResult(response, ownProblem('INTERNAL_ERROR'));
    });
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    connections.begin(request, response);
    answer(request, response);
  };
  server.on('request', listener).on('checkExpectation', listener);
  // Node would send it at once, be it in the middle of the answer to an earlier request.
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    connections.begin(request, response);
    const goOn = (): void => {
      response.writeContinue();
      answer(request, response);
    };
    if (response.socket) goOn();
    else response.once('socket', goOn);
  });
  // Its target is no path. Node would hang up without an answer.
  server.on('connect', (_request, socket) => {
    // Node leaves the connection to us, with its errors: unheard, that of a client that is gone would end the process.
    socket.on('error', () => socket.destroy());
    connections.onceAnswered(socket, () => refuse(socket, ownProblem('NOT_FOUND')));
  });
  const refuseMalformed = (socket: Duplex): void =>
    connections.onceAnswered(socket, () => {
      if (socket.writable) refuse(socket, ownProblem('INVALID_REQUEST', NOT_HTTP));
      else socket.destroy();
    });
  server.on('connection', (socket) => {
    // The end of a request that asks for an upgrade is no error to Node: it would wait for the rest.
    socket.on('end', () => {
      if (connections.isArriving(socket)) refuseMalformed(socket);
    });
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    // After a request that closes the connection nothing is a request any more (RFC 9112, section 9.6).
    else if (error.code === 'HPE_CLOSED_CONNECTION') connections.onceAnswered(socket, () => socket.end());
    // Before the answers to earlier requests it would be taken for one of them.
    else refuseMalformed(socket);
  });

  return {
    server,
    drain: async (timeoutMs) => {
      draining = true;
      const closed = new Promise((resolve) => server.close(resolve));
      connections.endWhenAnswered();
      const timer = setTimeout(() => server.closeAllConnections(), timeoutMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer | 'tooLarge'> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size > MAX_BODY_BYTES ? 'tooLarge' : Buffer.concat(chunks);
}

const NOT_HTTP = 'The request is not valid HTTP, or its headers are too long, or it came too slowly.';

/** Writes a refusal by hand, where Node offers no response to write it to, and ends the connection. */
function refuse(
  socket: Duplex,
  { statusCode = 400, headers = {}, body = '' }: APIGatewayProxyStructuredResultV2,
): void {
  const lines = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' });
  socket.end(
    [
      `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}`,
      ...lines.map(([name, value]) => `${name}: ${String(value)}`),
      '',
      body,
    ].join('\r\n'),
  );
  // Destroyed at once, what the client still sends would be reset, and with it perhaps the answer on its way.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.on('close', () => clearTimeout(timer));
}

/** A refusal by this server itself, before any function sees the request. */
function ownProblem(code: ErrorCode, detail?: string): APIGatewayProxyStructuredResultV2 {
  const requestId = randomUUID();
  const { headers, ...problem } = problemResponse(
    new GatewayError(code, detail === undefined ? {} : { detail }),
    requestId,
  );
  return { ...problem, headers: { ...headers, [HEADERS.requestId]: requestId, 'Cache-Control': 'no-store' } };
}
