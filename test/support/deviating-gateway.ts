import type { IncomingMessage, ServerResponse } from 'node:http';
import { served } from './served.ts';

/** A response on its way back, which a test may change. Header names are in lower case. */
export interface PassingAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}
/** Changes the gateway's response; if it returns `hangUp`, the connection ends instead. */
export type Deviate = (answer: PassingAnswer, request: IncomingMessage) => unknown;

/** Changes only answers that meet a condition. */
export const where =
  (applies: (answer: PassingAnswer, request: IncomingMessage) => boolean, change: Deviate): Deviate =>
  (answer, request) =>
    applies(answer, request) ? change(answer, request) : undefined;
export const drop =
  (...names: string[]) =>
  ({ headers }: PassingAnswer): void => {
    for (const name of names) Reflect.deleteProperty(headers, name);
  };
export const set =
  (name: string, value: string) =>
  ({ headers }: PassingAnswer): void => {
    headers[name] = value;
  };
export const replace =
  (pattern: string | RegExp, text: string) =>
  (answer: PassingAnswer): void => {
    answer.text = answer.text.replace(pattern, text);
  };
/** Answers something else instead. */
export const answered =
  (other: Partial<PassingAnswer>) =>
  (answer: PassingAnswer): void => {
    Object.assign(answer, other);
  };

/** Headers that belong to one connection. */
const HOP_BY_HOP = ['host', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'];

/** The longest body that is passed on: over the gateway's own limit, and far below Lambda's limit. */
const PASSED_ON_BYTES = 32_768;

/** A server in front of a gateway. It passes requests and answers on, with one deviation. */
export function deviatingGateway(gatewayUrl: string, deviate: Deviate) {
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
    const reply = await fetch(gatewayUrl + (request.url ?? ''), {
      method: request.method ?? 'GET',
      headers: endToEnd(Object.entries(request.headers as Record<string, string>)),
      ...(body.length > 0 && { body: body.subarray(0, PASSED_ON_BYTES) }),
      redirect: 'manual',
    });
    const answer = { status: reply.status, headers: endToEnd([...reply.headers]), text: await reply.text() };
    if (deviate(answer, request) === 'hangUp') request.socket.destroy();
    else response.writeHead(answer.status, answer.headers).end(answer.text);
  };
  return served((request, response) => void pass(request, response));
}

const endToEnd = (headers: readonly (readonly [string, string])[]): Record<string, string> =>
  Object.fromEntries(headers.filter(([name]) => !HOP_BY_HOP.includes(name)));
