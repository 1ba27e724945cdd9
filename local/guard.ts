import {
  Agent,
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream';
import { isWrite, type Call } from './stream.ts';
import { listen } from './listening.ts';
import { isLoopbackHost, portError } from './settings.ts';

/** Where an engine listens. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** A guard in front of a database, for programs on this machine. */
export interface Guard {
  readonly port: number;
  /** Forwards requests to the engine. Before that, and when it is gone, the answer is 503. */
  open(engine: Place): void;
  close(): void;
}

/** The timeout of idle connections. It is longer than that of all our clients. */
const KEEP_ALIVE_MS = 60_000;
/** Headers of a single connection (RFC 9110, section 7.6.1). */
const OF_CONNECTION = ['connection', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade'];

/**
 * Forwards requests of programs on this machine to an engine, and nothing that a web page can have sent. Browsers
 * set `Origin` on requests to other origins and on every POST. A page whose own name resolves to this
 * machine (DNS rebinding) sends that name as `Host`. The engines check neither, and no signatures.
 *
 * @param wantedPort on the loopback interface; 0: any free one. Throws `SettingsError` if it is taken
 * @param tell is called with each write that the engine took
 */
export async function startGuard(wantedPort: number, tell: (call: Call) => void = () => undefined): Promise<Guard> {
  const agent = new Agent({ keepAlive: true });
  let engine: Place | undefined;
  const server = createServer((request, response) => {
    if (!isFromProgram(request.headers)) refuse(response, 403, 'Programs of this machine only.\n');
    else if (engine === undefined) refuse(response, 503, 'The database is not ready.\n');
    else pass(request, response, { ...engine, agent }, tell);
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const port = await listen(server, wantedPort).catch((error: unknown) => {
    throw portError('DYNAMODB_PORT', wantedPort, error);
  });
  return {
    port,
    open: (ready) => {
      engine = ready;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}

/** An empty `Origin` counts too: only browsers send the header. */
const isFromProgram = ({ origin, host }: IncomingHttpHeaders): boolean =>
  origin === undefined && host !== undefined && /^[\w.:[\]-]+$/.test(host) && isLoopbackHost(hostnameOf(host));

const hostnameOf = (host: string): string => URL.parse(`http://${host}`)?.hostname ?? '';

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain' }).end(text);
}

function pass(
  request: IncomingMessage,
  response: ServerResponse,
  engine: Place & { readonly agent: Agent },
  tell: (call: Call) => void,
): void {
  const { method, url: path } = request;
  const target = String(request.headers['x-amz-target']);
  const parts: Buffer[] = [];
  if (isWrite(target)) request.on('data', (part: Buffer) => parts.push(part));
  const onward = httpRequest({ ...engine, method, path, headers: endToEnd(request.headers) });
  onward.on('response', (answer) => {
    if (parts.length > 0 && answer.statusCode === 200) tell({ target, body: Buffer.concat(parts).toString() });
    response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
    pipeline(answer, response, () => undefined);
  });
  onward.on('error', () => {
    // An answer that is cut off must not look complete.
    if (response.headersSent) response.destroy();
    else refuse(response, 503, 'The database does not answer.\n');
  });
  // The client is gone, so its request is aborted.
  response.on('close', () => onward.destroy());
  pipeline(request, onward, () => undefined);
}

const endToEnd = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name)));
