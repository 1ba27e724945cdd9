import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Where these stand in what a step writes, the server writes the API key of the request: as long as a key, for lengths. */
export const ECHOED = '<the API key>'.padEnd(51, '=');
/** The same with each character as an escape of JSON. */
export const ECHOED_IN_ESCAPES = '<the API key in escapes>'.padEnd(6 * 51, '=');

function withKey(bytes: string | Buffer, request: RawRequest | undefined): string | Buffer {
  const text = bytes.toString('latin1');
  if (!text.includes('<the API key')) return bytes;
  const key =
    request?.headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1].replace('Bearer ', '') ?? '';
  const escapes = key.replaceAll(/./g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return Buffer.from(text.replaceAll(ECHOED, key).replaceAll(ECHOED_IN_ESCAPES, escapes), 'latin1');
}

/** What a step does with the bytes of an attempt's connection. */
export interface Wire {
  readonly write: (bytes: string | Buffer) => Promise<void>;
  /** One byte after the other, until the client has enough of it. */
  readonly drip: (bytes: string | Buffer, everyMs: number) => Promise<void>;
  readonly reset: () => void;
  readonly end: () => void;
  readonly isOpen: () => boolean;
  /** Has the gateway execute the request, and gives its whole answer. */
  readonly gateway: () => Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** What becomes of one attempt. */
export interface Step {
  /** Absent: the whole request is read first. */
  readonly atFirstByte?: true;
  readonly run: (wire: Wire) => void | Promise<void>;
}

/** The bytes of an answer. */
export const bytesOf = ({ status, reason, headers, body }: Answer): Buffer =>
  Buffer.concat([
    Buffer.from(
      [`HTTP/1.1 ${status} ${reason}`, ...headers.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n'),
      'latin1',
    ),
    body,
  ]);

/** The whole request at the start of what came, or undefined. */
function requestOf(bytes: Buffer) {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const headers = lines.map((line) => [line.slice(0, line.indexOf(':')), line.replace(/^.*?: */, '')] as const);
  const lengthOf = headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1];
  const end = headEnd + 4 + Number(lengthOf ?? 0);
  if (bytes.length < end) return undefined;
  const [method = '', path = ''] = first.split(' ');
  return { method, path, headers, body: bytes.subarray(headEnd + 4, end), end };
}
type RawRequest = NonNullable<ReturnType<typeof requestOf>>;

async function forwarded({ method, path, headers, body }: RawRequest, gatewayUrl: string): Promise<Answer> {
  const kept = headers.filter(([name]) => !/^(host|connection|accept-encoding|content-length)$/i.test(name));
  const answer = await fetch(new URL(path.replace('/below/', '/'), gatewayUrl), {
    method,
    headers: Object.fromEntries(kept),
    ...(body.length > 0 && { body }),
  });
  const whole = Buffer.from(await answer.arrayBuffer());
  const hop = /^(connection|keep-alive|transfer-encoding|content-length)$/;
  const own = [...answer.headers].filter(([name]) => !hop.test(name));
  return {
    status: answer.status,
    reason: answer.statusText,
    headers: [...own, ['content-length', String(whole.length)]],
    body: whole,
  };
}

/**
 * A TCP server in front of a gateway. Each attempt meets the next step, and after the last one the gateway itself. It
 * follows no rule of HTTP that a step does not follow.
 */
export async function rawServer(gatewayUrl: string, steps: readonly Step[], host: '127.0.0.1' | '::1' = '127.0.0.1') {
  const sockets = new Set<Socket>();
  /** The Idempotency-Key of each attempt; undefined where the request was not read. */
  const attempts: (string | undefined)[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay().on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    // A connection that is reset ends the reading of it.
    serve(socket).catch(() => undefined);
  });

  async function serve(socket: Socket): Promise<void> {
    let received = Buffer.alloc(0);
    let step: Step | undefined;
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      received = Buffer.concat([received, chunk]);
      step ??= steps[attempts.length] ?? asGateway;
      const request = step.atFirstByte ? undefined : requestOf(received);
      if (!step.atFirstByte && request === undefined) continue;
      attempts.push(request?.headers.find(([name]) => name.toLowerCase() === 'idempotency-key')?.[1]);
      received = received.subarray(request?.end ?? 0);
      await step.run(wireOf(socket, request));
      step = undefined;
    }
  }

  function wireOf(socket: Socket, request: RawRequest | undefined): Wire {
    const isOpen = (): boolean => !socket.destroyed && !socket.writableEnded;
    const write = async (bytes: string | Buffer): Promise<void> => {
      if (!isOpen()) return;
      await new Promise<void>((resolve) => socket.write(withKey(bytes, request), () => resolve()));
    };
    return {
      write,
      isOpen,
      drip: async (bytes, everyMs) => {
        for (const byte of Buffer.from(bytes)) {
          if (!isOpen()) return;
          await write(Buffer.of(byte));
          await pause(everyMs);
        }
      },
      reset: () => socket.resetAndDestroy(),
      end: () => socket.end(),
      gateway: () => {
        if (request === undefined) throw new Error('A request that was not read cannot be executed.');
        return forwarded(request, gatewayUrl);
      },
    };
  }

  server.listen(0, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    attempts,
    openConnections: () => sockets.size,
    /** Whether this side has ended each connection; the other side may not have noticed. */
    hasEnded: () => [...sockets].every(({ writableFinished }) => writableFinished),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The gateway executes the request, and its answer comes as it is. */
export const asGateway: Step = { run: async (wire) => wire.write(bytesOf(await wire.gateway())) };
