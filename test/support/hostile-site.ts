import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Somebody else's site on this machine: an empty page at every path. */
export interface HostileSite {
  /** To a browser on `localhost` another site. */
  readonly crossSite: string;
  /** The same server by the name `localhost`: the same site, another origin. */
  readonly sameSite: string;
  stop(): Promise<void>;
}

/** Starts one on a free port. */
export async function startHostileSite(): Promise<HostileSite> {
  const page = '<!doctype html><title>hostile</title><link rel="icon" href="data:,"><body></body>';
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(page);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    crossSite: `http://127.0.0.1:${port}`,
    sameSite: `http://localhost:${port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
