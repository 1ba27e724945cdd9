/**
 * The thread of {@link startProxy}: passes requests on to an engine, each a while after it came, and counts them. A
 * thread of its own, so that its work does not compete with what is measured.
 */
import { Agent, createServer, request, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const { target, delayMs } = workerData as { readonly target: string; readonly delayMs: number };
/** Longer than a benchmark pauses: a connection closed in between would be measured as slow. */
const KEEP_ALIVE_MS = 60_000;

const agent = new Agent({ keepAlive: true });
let calls = 0;
let roundTrips = 0;
let inFlight = 0;

const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (incoming, outgoing) => {
  calls++;
  if (inFlight === 0) roundTrips++;
  inFlight++;
  void (async () => {
    const [body] = await Promise.all([buffer(incoming), sleep(delayMs)]);
    const answer = await passOn(incoming, body);
    const text = await buffer(answer);
    // Before the caller can know, who may send the next call at once.
    inFlight--;
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers).end(text);
  })();
});

const passOn = ({ method, url, headers }: IncomingMessage, body: Buffer): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request(new URL(url ?? '/', target), { method, headers, agent }, resolve)
      .on('error', reject)
      .end(body);
  });

server.listen(0, '127.0.0.1', () => parentPort?.postMessage((server.address() as AddressInfo).port));
parentPort?.on('message', () => {
  parentPort?.postMessage({ calls, roundTrips });
  calls = roundTrips = 0;
});
