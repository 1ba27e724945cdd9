import type { IncomingHttpHeaders } from 'node:http';
import { served } from './served.ts';

/** What the server does with one request: an answer, no answer, or the end of the connection. */
export type Step =
  { readonly status: number; readonly headers?: Record<string, string>; readonly body: object } | 'silence' | 'hangUp';

/** A server with one step for each request. It repeats the last step, and records the requests. */
export async function scriptedServer(...steps: readonly Step[]) {
  const requests: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  const server = await served((request, response) => {
    void Array.fromAsync(request as AsyncIterable<Buffer>).then((chunks) => {
      const step = steps[Math.min(requests.length, steps.length - 1)];
      requests.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
      if (step === 'hangUp') request.socket.destroy();
      else if (step !== undefined && step !== 'silence') {
        response.writeHead(step.status, { 'Content-Type': 'application/json', ...step.headers });
        response.end(JSON.stringify(step.body));
      }
    });
  });
  return { ...server, requests };
}
