import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { TestResponse } from './http.ts';
import { noteRequest } from './secrets/journal.ts';

/** One request over the wire. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An answer that was read completely. */
export interface WireAnswer extends TestResponse {
  readonly latencyMs: number;
}

/** Longer than a request's deadline in the gateway. */
const ANSWER_TIMEOUT_MS = 15_000;

/**
 * Creates a client with a limited number of connections to each server; further requests wait for one. By default it
 * keeps connections open. Turn that off for pauses: the server closes an idle connection after 5 s, perhaps just as the
 * client uses it.
 */
export function wireClient(connectionsPerServer: number, keepAlive = true) {
  const agent = new Agent({ keepAlive, maxSockets: connectionsPerServer });
  return {
    /** Rejects if there is no answer or an incomplete one. */
    send: async (url: string, { method, path, headers = {}, body }: WireRequest): Promise<WireAnswer> => {
      noteRequest(headers, body ?? '');
      const startedAt = performance.now();
      // Node sends no length for the body of a DELETE, and the server would read the body as another request.
      const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
      const options = { agent, method, headers: { ...length, ...headers }, timeout: ANSWER_TIMEOUT_MS };
      const request = httpRequest(url + path, options);
      // The response reports what breaks after its head.
      request.on('error', () => undefined);
      request.on('timeout', () => request.destroy(new Error('no answer in time')));
      const answered = once(request, 'response') as Promise<[IncomingMessage]>;
      request.end(body);
      const [response] = await answered;
      const text = Buffer.concat(await Array.fromAsync(response as AsyncIterable<Buffer>)).toString();
      return {
        status: response.statusCode ?? 0,
        headers: endToEnd(response.headers as Record<string, string>),
        body: parsed(text),
        text,
        latencyMs: performance.now() - startedAt,
      };
    },
    close: (): void => agent.destroy(),
  };
}

/** The members of a JSON object, or none for anything else, which the check of the answer finds. */
function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Removes the headers of the connection, which Node adds and the gateway does not. */
function endToEnd(all: Record<string, string>): Record<string, string> {
  const {
    connection,
    'keep-alive': keepAlive,
    date,
    'transfer-encoding': coding,
    'content-length': length,
    ...headers
  } = all;
  return headers;
}
