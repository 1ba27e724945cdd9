import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Which requests are in flight on which connection: several, when a client sends them without waiting (pipelining). */
export interface Connections {
  /** Notes a request until its response is over. */
  begin(request: IncomingMessage, response: ServerResponse): void;
  /** Whether no later request is in flight on the request's connection. Answers go out in order. */
  isNewest(request: IncomingMessage): boolean;
  /** Whether a request on a connection has not wholly arrived. */
  isArriving(connection: Duplex): boolean;
  /** Does something once every request that has wholly arrived on a connection is answered; only the first time. */
  onceAnswered(connection: Duplex, last: () => void): void;
  /** From now on ends each connection when its last answer is out, and those at once that wait for none. */
  endWhenAnswered(): void;
}

interface Connection {
  readonly inFlight: Set<IncomingMessage>;
  /** What ends it, besides its closing. */
  last?: () => void;
}

/** Follows the connections of a server. */
export function trackConnections(server: Server): Connections {
  const connections = new Map<Duplex, Connection>();
  let ending = false;

  const settle = (socket: Duplex, { inFlight, last }: Connection): void => {
    if (last !== undefined) {
      // One that is still arriving is what `last` is about.
      if (![...inFlight].some(({ complete }) => complete)) last();
    } else if (ending && inFlight.size === 0) {
      socket.end();
    }
  };

  server.on('connection', (socket) => {
    connections.set(socket, { inFlight: new Set() });
    socket.on('close', () => connections.delete(socket));
  });

  return {
    begin: (request, response) => {
      const { socket } = request;
      connections.get(socket)?.inFlight.add(request);
      const over = (): void => {
        const connection = connections.get(socket);
        if (connection?.inFlight.delete(request)) settle(socket, connection);
      };
      // Before Node's own listener, which may end the connection; a response that breaks off only closes.
      response.prependListener('finish', over).on('close', over);
    },
    isNewest: (request) => [...(connections.get(request.socket)?.inFlight ?? [])].at(-1) === request,
    isArriving: (socket) => [...(connections.get(socket)?.inFlight ?? [])].some(({ complete }) => !complete),
    onceAnswered: (socket, last) => {
      const connection = connections.get(socket);
      if (connection === undefined || connection.last !== undefined) return;
      connection.last = last;
      settle(socket, connection);
    },
    endWhenAnswered: () => {
      ending = true;
      // Node would wait for a connection on which no request was ever sent, such as a browser's in advance.
      for (const [socket, { inFlight }] of connections) if (inFlight.size === 0) socket.destroy();
    },
  };
}
