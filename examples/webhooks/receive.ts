// Receives webhooks and checks that they are the portal's: the secret is what Developers → Webhooks shows once.
//
//   read -rs WEBHOOK_SECRET; export WEBHOOK_SECRET    # paste the secret, press Enter
//   node examples/webhooks/receive.ts                 # with the library of the portal installed
//
// Locally, give the portal the address http://localhost:4000/ for it.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifyWebhook } from 'sandbox-gateway/webhooks';

const { WEBHOOK_SECRET = '', PORT = '4000' } = process.env;
/** A delivery has some hundred bytes. Strangers may send more. */
const MAX_BYTES = 100_000;
/** A delivery may come twice: its id is the same. Keep the ids where your other data are. */
const seen = new Set<string>();

/** The body; undefined: it is too large. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The status of the answer. */
async function receive(request: IncomingMessage): Promise<number> {
  if (request.method !== 'POST') return 405;
  const body = await bodyOf(request);
  if (body === undefined) return 413;
  try {
    // The signature covers the received bytes: parsed and written again they would differ. Requests over five minutes
    // old are refused.
    const notice = verifyWebhook(body, request.headers, WEBHOOK_SECRET);
    const id = String(request.headers['webhook-id']);
    process.stdout.write(`${id} ${seen.has(id) ? 'again' : JSON.stringify(notice)}\n`);
    seen.add(id);
    return 204;
  } catch {
    // Nothing of it is printed: a stranger may send what a terminal obeys.
    process.stdout.write('A request is not signed with this secret\n');
    return 401;
  }
}

// An empty secret, for one, must be noticed now and not at the first delivery.
try {
  verifyWebhook('', {}, WEBHOOK_SECRET);
} catch (error) {
  if (error instanceof TypeError) {
    process.stderr.write(`WEBHOOK_SECRET: ${error.message}\n`);
    process.exit(1);
  }
}

// Who connects and says nothing is let go.
const timeouts = { headersTimeout: 5_000, requestTimeout: 10_000, connectionsCheckingInterval: 1_000 };
const server = createServer(timeouts, (request, response) => {
  receive(request).then(
    // What is left of a body that is too large is not waited for.
    (status) => response.writeHead(status, { Connection: 'close' }).end(() => status === 413 && request.destroy()),
    () => request.destroy(),
  );
});
server.maxConnections = 100;
server.listen(Number(PORT), '127.0.0.1', () => {
  process.stdout.write(`Waiting at http://localhost:${(server.address() as AddressInfo).port}/\n`);
});
