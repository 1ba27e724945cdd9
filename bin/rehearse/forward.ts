import { once } from 'node:events';
import { createServer, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AddressInfo } from 'node:net';

/**
 * Makes an address that only an endpoint knows reachable on this machine. It listens on a free port, and forwards each
 * request to the endpoint with the host name of that address.
 */
export async function forward(endpoint: string, address: string) {
  const { protocol, hostname, port } = new URL(endpoint);
  const { host } = new URL(address);
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const options = { hostname, port, method, path, headers: { ...headers, host } };
    const onward = (protocol === 'https:' ? requestHttps : requestHttp)(options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
