import { once } from 'node:events';
import type { IncomingMessage, Server as HttpServer } from 'node:http';
import type { Server, AddressInfo } from 'node:net';

/** Addresses of this machine that only it can reach. */
const IPV4 = '127.0.0.1';
const IPV6 = '::1';
/** The system's errors without IPv6: then no other program can listen there either. */
const NO_IPV6 = ['EADDRNOTAVAIL', 'EAFNOSUPPORT'];
/** How often to try to find a port that is free on both addresses. */
const MAX_ATTEMPTS = 10;

/**
 * Makes a server listen on a port of `127.0.0.1` (0: any free one), and returns the port. Rejects as the system does.
 */
export const listen = (server: Server, port: number): Promise<number> => listenOn(server, IPV4, port);

/**
 * Makes two servers listen on one port, of `127.0.0.1` and of `::1`, and returns the port. A browser uses either
 * address for `localhost`: if one were free, another program's server could take it unnoticed.
 */
export async function listenOnBoth(first: Server, second: Server, port: number): Promise<number> {
  for (let made = 1; ; made++) {
    const found = await listenOn(first, IPV4, port);
    try {
      await listenOn(second, IPV6, found);
      return found;
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (NO_IPV6.includes(code)) return found;
      first.close();
      await once(first, 'close');
      if (port !== 0 || code !== 'EADDRINUSE' || made === MAX_ATTEMPTS) throw error;
    }
  }
}

async function listenOn(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Ends a server and its connections, also those with a request in flight. */
export async function close(server: HttpServer): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}

/** Reads the body of a request to its end; undefined: it is larger. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
  }
  return size > maxBytes ? undefined : Buffer.concat(chunks);
}
