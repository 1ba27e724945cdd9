import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { gatewayServer, type GatewayServer, type Handlers } from '../../local/http-server.ts';

const HEALTH = '/api/v1/health';
const running: GatewayServer[] = [];

/** A server over a handler; its port. */
async function serve(handler: Handlers['health']): Promise<{ gateway: GatewayServer; port: number }> {
  const gateway = gatewayServer(Promise.resolve({ health: handler, ping: handler }));
  running.push(gateway);
  gateway.server.listen(0, '127.0.0.1');
  await once(gateway.server, 'listening');
  return { gateway, port: (gateway.server.address() as AddressInfo).port };
}
afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.drain(0);
});

test('draining answers every request in flight, also those pipelined on one connection', async () => {
  const gates = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const arrived = Promise.withResolvers<undefined>();
  let count = 0;
  const { gateway, port } = await serve(async () => {
    const gate = gates[count++];
    if (count === gates.length) arrived.resolve(undefined);
    return { statusCode: 200, body: (await gate?.promise) ?? '' };
  });
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET ${HEALTH} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(2));
  await arrived.promise;
  gates[0]?.resolve('first');
  const [start] = (await once(socket, 'data')) as [Buffer];
  const drained = gateway.drain(10_000);
  gates[1]?.resolve('second');
  const rest = Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>)).toString();
  await drained;
  expect(start.toString()).toContain('first');
  expect(rest).toContain('second');
});

describe('a defect in the development server', () => {
  test.each([
    ['a handler that fails', () => Promise.reject(new Error('defect'))],
    ['a header that cannot be sent', () => Promise.resolve({ statusCode: 200, headers: { 'X-Bad': 'a\r\nb' } })],
  ])('(%s) is a 500 in the envelope, and is logged', async (_name, handler) => {
    const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const { port } = await serve(handler);
      const response = await fetch(`http://127.0.0.1:${port}${HEALTH}`);
      const body = (await response.json()) as Record<string, unknown>;
      expect([response.status, body.code]).toEqual([500, 'INTERNAL_ERROR']);
      expect(body.requestId).toBe(response.headers.get('x-service-request-id'));
      expect(stderr).toHaveBeenCalledTimes(1);
    } finally {
      stderr.mockRestore();
    }
  });
});
