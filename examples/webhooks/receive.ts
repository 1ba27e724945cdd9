// Receives webhooks and checks that they are the portal's: the secret is what Settings → Notices shows once.
//
//   WEBHOOK_SECRET=whsec_… node examples/webhooks/receive.ts        # npm i standardwebhooks
//
// Locally, give the portal the address http://localhost:4000/ for it.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

const { WEBHOOK_SECRET = '', PORT = '4000' } = process.env;
const webhook = new Webhook(WEBHOOK_SECRET);
/** A delivery may come twice: its id is the same. Keep the ids where your other data are. */
const seen = new Set<string>();

const server = createServer((request, response) => {
  const receive = (body: string): void => {
    const id = String(request.headers['webhook-id']);
    try {
      // The signature covers the received bytes: parsed and written again they would differ. Requests over five minutes
      // old are refused.
      const notice = webhook.verify(body, request.headers as Record<string, string>);
      process.stdout.write(`${id} ${seen.has(id) ? 'again' : JSON.stringify(notice)}\n`);
      seen.add(id);
      response.writeHead(204).end();
    } catch {
      process.stdout.write(`${id} is not signed with this secret\n`);
      response.writeHead(401).end();
    }
  };
  text(request).then(receive, () => response.destroy());
});
server.listen(Number(PORT), '127.0.0.1', () => {
  process.stdout.write(`Waiting at http://localhost:${(server.address() as AddressInfo).port}/\n`);
});
