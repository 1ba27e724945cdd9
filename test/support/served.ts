import { createServer, type RequestListener, type Server } from 'node:http';
import { listen } from '../../local/listening.ts';

/** A server of a test, on 127.0.0.1. */
export interface Served {
  readonly server: Server;
  readonly url: string;
  /** Ends it, and each of its connections. */
  readonly close: () => void;
}

/** Starts a server on a port (default: any free one). It does not keep the process from ending. */
export async function served(answer: RequestListener, port = 0): Promise<Served> {
  const server = createServer(answer);
  const url = `http://127.0.0.1:${await listen(server.unref(), port)}`;
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { server, url, close };
}
