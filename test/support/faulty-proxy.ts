import { once } from 'node:events';
import { request as send, type IncomingMessage } from 'node:http';
import { served } from './served.ts';

/**
 * The fault of an attempt: the connection ends before the gateway gets the request (`before`), after the gateway has
 * answered but before the client gets the answer (`after`), or within the answer (`within`); or a load balancer answers
 * (`balancer`).
 */
export type Fault = 'before' | 'after' | 'within' | 'balancer' | 'none';

/** The client's view of an attempt: its status, null without a complete answer, and its `Retry-After`. */
interface Passed {
  readonly status: number | null;
  readonly retryAfterSeconds: number;
}

/** A server in front of a gateway. Each request meets the next fault; after the last fault there is none. */
export async function faultyProxy(gatewayUrl: string, ...faults: readonly Fault[]) {
  const passed: Passed[] = [];
  const proxy = await served((request, response) => {
    void Array.fromAsync(request as AsyncIterable<Buffer>).then(async (chunks) => {
      const fault = faults[passed.length] ?? 'none';
      const note = (status: number | null, retryAfter = '0'): number =>
        passed.push({ status, retryAfterSeconds: Number(retryAfter) });
      if (fault === 'before' || fault === 'balancer') {
        note(fault === 'before' ? null : 502);
        if (fault === 'before') request.socket.destroy();
        else response.writeHead(502, { 'Content-Type': 'text/html' }).end('<html>Bad Gateway</html>');
        return;
      }
      const { method, headers, url } = request;
      const onward = send(new URL(url ?? '', gatewayUrl), { method, headers, agent: false });
      onward.end(Buffer.concat(chunks));
      const [answer] = (await once(onward, 'response')) as [IncomingMessage];
      const body = Buffer.concat(await Array.fromAsync(answer as AsyncIterable<Buffer>));
      note(fault === 'none' ? (answer.statusCode ?? 0) : null, answer.headers['retry-after']);
      if (fault === 'after') request.socket.destroy();
      else {
        response.writeHead(answer.statusCode ?? 0, { ...answer.headers, 'content-length': body.length });
        if (fault === 'within') response.write(body.subarray(0, 20), () => request.socket.destroy());
        else response.end(body);
      }
    });
  });
  return { ...proxy, passed };
}
