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

/** An answer, read to its end. */
export interface WireAnswer extends TestResponse {
  readonly latencyMs: number;
}

/** A client with a limited number of connections to each server. Further requests wait for a connection. */
export interface WireClient {
  /** Rejects when there is no answer, or none to its end. */
  send(url: string, request: WireRequest): Promise<WireAnswer>;
  close(): void;
}

/** Longer than a request's deadline in the gateway. */
const ANSWER_TIMEOUT_MS = 15_000;

/**
 * Makes one. It keeps its connections open unless told: whoever pauses may use one just when the server, which waits 5 s,
 * closes it.
 */
export function wireClient(connectionsPerServer: number, keepAlive = true): WireClient {
  const agent = new Agent({ keepAlive, maxSockets: connectionsPerServer });
  return {
    send: async (url, { method, path, headers = {}, body }) => {
      noteRequest(headers, body ?? '');
      const startedAt = performance.now();
      // Node sends no length of a DELETE's body by itself, and the server takes the body for another request.
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
    close: () => agent.destroy(),
  };
}

/** The members of a JSON object; none of anything else, which whoever checks the answer will see. */
function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Without the headers of the connection, which are Node's and not the gateway's. */
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
