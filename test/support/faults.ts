import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createClient } from '../../functions/shared/store/client.ts';
import { localAddress } from '../../local/settings.ts';
import { served } from './served.ts';

/** The parts of a request and its answer that are used here, as the SDK's transport has them. */
interface WireRequest {
  readonly headers: Readonly<Record<string, string>>;
}
export interface Answer {
  readonly response: { readonly statusCode: number; body: Readable };
}
interface RequestHandler {
  readonly handle: (request: WireRequest, options?: object) => Promise<Answer>;
}
const handlerOf = ({ config }: DynamoDBClient) => config as unknown as { requestHandler: RequestHandler };

/** One attempt of a database call, below the SDK, which repeats attempts and reads answers itself. */
export interface Attempt {
  /** DynamoDB's name, such as `UpdateItem`. */
  readonly operation: string;
  /** The same for all attempts that the SDK makes of one call. */
  readonly callId: string;
  /** Sends it to the engine. */
  readonly send: () => Promise<Answer>;
  /** Sends it to another local port, with the timeouts of a transport, or with another timeout for this attempt. */
  readonly divert: (transport: RequestHandler, port: number, path: string, timeoutMs?: number) => Promise<Answer>;
}

/** Decides the result of every attempt that a client makes from now on. */
export function intercept(client: DynamoDBClient, decide: (attempt: Attempt) => Promise<Answer>): void {
  const config = handlerOf(client);
  const engine = config.requestHandler;
  const handle: RequestHandler['handle'] = (request, options) =>
    decide({
      operation: request.headers['x-amz-target']?.split('.')[1] ?? '',
      callId: request.headers['amz-sdk-invocation-id'] ?? '',
      send: () => engine.handle(request, options),
      divert: (transport, port, path, timeoutMs) => {
        const diverted = { ...request, hostname: '127.0.0.1', port, path };
        return transport.handle(diverted, { ...options, ...(timeoutMs && { requestTimeout: timeoutMs }) });
      },
    });
  config.requestHandler = Object.assign(Object.create(engine) as RequestHandler, { handle });
}

/** Lets the engine apply an attempt and loses the answer. */
export const apply = async ({ send }: Attempt): Promise<void> => discard(await send());

/** Loses an answer. It is read, because the connection of an unread answer stays open until its other end closes it. */
export const discard = ({ response }: Answer): Promise<void> => response.body.forEach(() => undefined);

/** What the server of {@link misbehavingServer} does with a request, by the path of the request. */
const BEHAVIOURS = {
  silent: () => undefined,
  resets: ({ socket }) => socket?.resetAndDestroy(),
  stalls: (response) => response.writeHead(200, { 'Content-Length': 100 }).write('{'),
  breaksOff: (response) =>
    response.writeHead(200, { 'Content-Length': 100 }).write('{', () => response.socket?.resetAndDestroy()),
  throttles: serviceError(400, 'ThrottlingException'),
  exceedsThroughput: serviceError(400, 'ProvisionedThroughputExceededException'),
  failsInside: serviceError(500, 'InternalServerError'),
  isUnavailable: (response) => response.writeHead(503, { 'Content-Type': 'text/html' }).end('<h1>Unavailable</h1>'),
  conflicts: serviceError(400, 'TransactionConflictException'),
  cancels: serviceError(400, 'TransactionCanceledException', {
    CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }, { Code: 'None' }],
  }),
  answersNothing: (response) => response.writeHead(200).end(),
  answersHtml: (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<h1>Welcome</h1>'),
  truncates: (response) => response.writeHead(200).end('{"Attributes":{"rpm":{"N"'),
  answersOtherTypes: (response) => response.writeHead(200).end('{"Attributes":[7],"Responses":7}'),
} satisfies Record<string, (response: ServerResponse) => unknown>;
export type Behaviour = keyof typeof BEHAVIOURS;

/** A transport of the SDK. A patient one waits long enough for a slow machine. */
export const transport = (isPatient: boolean): RequestHandler => {
  const patient = { connectionTimeout: 15_000, requestTimeout: 15_000, throwOnRequestTimeout: true };
  return handlerOf(createClient({ ...localAddress(0), ...(isPatient && { requestHandler: patient }) })).requestHandler;
};

/** Nothing listens there: programs get higher ports. */
const CLOSED_PORT = 1;

/** A local server that answers like a failing DynamoDB, or not at all. */
export async function misbehavingServer(through = transport(true)) {
  const { server, url, close } = await served((request, response) => {
    const behave: (response: ServerResponse) => unknown = BEHAVIOURS[request.url?.slice(1) as Behaviour];
    request.resume().once('end', () => behave(response));
  });
  // A connection closed in between would be another fault.
  server.keepAliveTimeout = 0;
  const port = Number(new URL(url).port);
  return {
    /** Lets the server answer an attempt. */
    answer: ({ divert }: Attempt, behaviour: Behaviour, timeoutMs?: number) =>
      divert(through, port, `/${behaviour}`, timeoutMs),
    /** Sends an attempt to a closed port. */
    refuse: ({ divert }: Attempt) => divert(through, CLOSED_PORT, '/'),
    close,
  };
}

function serviceError(status: number, name: string, more: object = {}) {
  const body = JSON.stringify({
    __type: `com.amazonaws.dynamodb.v20120810#${name}`,
    message: 'internal text',
    ...more,
  });
  return (response: ServerResponse) =>
    response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.0' }).end(body);
}
