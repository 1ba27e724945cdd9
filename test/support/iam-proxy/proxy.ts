import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { localAddress } from '../../../local/settings.ts';
import { permissionsOf, policies, type Permission } from '../iam.ts';
import { judge, type OnCall } from './judgement.ts';
import { Refusal, type ReceivedRequest } from './signature.ts';

const TARGET = /^DynamoDB_20120810\.(\w+)$/;
const DYNAMODB = { service: 'dynamodb', region: localAddress(0).region };
const END_OF_HEAD = '\r\n\r\n';

/**
 * Opens a proxy of an engine, since an engine checks neither signatures nor permissions. It passes on calls that one of
 * CALLERS has signed for DynamoDB in the region of the local engines, if the caller is allowed to make them.
 *
 * Each connection has its own connection to the engine. Complete requests pass on unchanged, and answers are not read.
 * This costs a third of `node:http` on both sides. Two doors may be in series.
 */
export async function startIamProxy(engine: string, onCall?: OnCall) {
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
      // Our clients never send the next request before the answer.
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
    /** Closes it. Rejects if it has refused a call: the caller may have ignored the error. */
    close: async (): Promise<void> => {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, 'close');
      if (refusals.size > 0) throw new Error(`Calls were refused by the IAM proxy:\n${[...refusals].join('\n')}`);
    },
  };
}
export type IamProxy = Awaited<ReturnType<typeof startIamProxy>>;

/**
 * A complete request with all of its body; `more` if it is incomplete; `other` if the bytes are something else or too
 * many.
 */
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

/** The permissions that a call needs. */
function needsOf({ headers, body }: ReceivedRequest): Permission[] {
  const [, operation] = TARGET.exec(String(headers['x-amz-target'])) ?? [];
  if (operation === undefined) throw new Refusal('UnknownOperationException', 'That is no call of DynamoDB.');
  return permissionsOf(operation, JSON.parse(body.toString()) as object);
}

/** A refusal in the form of DynamoDB. */
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
