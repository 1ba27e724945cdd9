import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { localAddress } from '../../../local/settings.ts';
import { permissionsOf, policies, type Permission } from '../iam.ts';
import { judge, type OnCall } from './judgement.ts';
import { Refusal, type ReceivedRequest } from './signature.ts';

/** A way to an engine on which each call is judged as AWS would judge it. */
export interface Door {
  readonly endpoint: string;
  /** Closes it. Rejects when it has refused anything: whoever was refused may have swallowed it. */
  close(): Promise<void>;
}

const TARGET = /^DynamoDB_20120810\.(\w+)$/;
const DYNAMODB = { service: 'dynamodb', region: localAddress(0).region };
const END_OF_HEAD = '\r\n\r\n';

/**
 * Stands before an engine, which looks at neither signatures nor permissions. Lets through what is signed for DynamoDB in
 * the region of the local engines by one of CALLERS, and allowed to it.
 *
 * A connection to it is one to the engine: requests pass on as they came, once they are whole, and answers unseen. That
 * costs a third of what `node:http` takes for both ends. So two doors may stand one behind the other.
 */
export async function openDoor(engine: string, onCall?: OnCall): Promise<Door> {
  const { hostname, port } = new URL(engine);
  const allowed = await policies();
  const refusals = new Set<string>();
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const behind = connect({ host: hostname, port: Number(port), noDelay: true });
    behind.pipe(client);
    for (const [socket, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    let bytes: Buffer = Buffer.alloc(0);
    client.on('data', (chunk) => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      const request = wholeRequest(bytes);
      if (request === 'more') return;
      // No client of ours sends the next request before it has its answer.
      if (request === 'other') return void client.destroy();
      try {
        judge(request, DYNAMODB, { needs: () => needsOf(request), allowed, onCall });
        behind.write(bytes);
      } catch (error) {
        client.write(answerOf(error));
        refusals.add(String(error));
      }
      bytes = Buffer.alloc(0);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
      if (refusals.size > 0) throw new Error(`Calls were refused at the door:\n${[...refusals].join('\n')}`);
    },
  };
}

/** A request that is there with all of its body; `other`: what is there is something else, or more. */
function wholeRequest(bytes: Buffer): ReceivedRequest | 'more' | 'other' {
  const end = bytes.indexOf(END_OF_HEAD);
  if (end === -1) return 'more';
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const begin = end + END_OF_HEAD.length;
  const length = begin + Number(headers['content-length'] ?? 0);
  if (bytes.length < length) return 'more';
  const [method = '', target = '', version] = first.split(' ');
  if (bytes.length > length || version !== 'HTTP/1.1' || 'transfer-encoding' in headers) return 'other';
  return { method, target, headers, body: bytes.subarray(begin) };
}

/** What a caller needs for a call. */
function needsOf({ headers, body }: ReceivedRequest): Permission[] {
  const [, operation] = TARGET.exec(String(headers['x-amz-target'])) ?? [];
  if (operation === undefined) throw new Refusal('UnknownOperationException', 'That is no call of DynamoDB.');
  return permissionsOf(operation, JSON.parse(body.toString()) as object);
}

/** As DynamoDB refuses. */
function answerOf(error: unknown): string {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const body = JSON.stringify({ __type: `com.amazon.coral.service#${name}`, message });
  return [
    'HTTP/1.1 400 Bad Request',
    `Date: ${new Date().toUTCString()}`,
    `x-amzn-RequestId: ${randomUUID()}`,
    'Content-Type: application/x-amz-json-1.0',
    `Content-Length: ${Buffer.byteLength(body)}`,
    '',
    body,
  ].join('\r\n');
}
