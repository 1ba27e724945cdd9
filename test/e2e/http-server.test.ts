import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { gatewayServer, type FunctionServer, type Handlers } from '../../local/http-server.ts';

const HEALTH = '/api/v1/health';
const GET = `GET ${HEALTH} HTTP/1.1\r\nHost: x\r\n\r\n`;
const running: FunctionServer[] = [];

/** A server with a handler, and its port. */
async function serve(handler: Handlers['health']): Promise<{ gateway: FunctionServer; port: number }> {
  const gateway = gatewayServer(Promise.resolve({ health: handler, metered: handler }));
  running.push(gateway);
  gateway.server.listen(0, '127.0.0.1');
  await once(gateway.server, 'listening');
  return { gateway, port: (gateway.server.address() as AddressInfo).port };
}
afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.drain(0);
});

test('an answer is as the function gave it for who takes any encoding, too', async () => {
  const body = 'answered'.repeat(5_000);
  const { port } = await serve(() => Promise.resolve({ statusCode: 200, body }));
  const headers = { 'Accept-Encoding': 'gzip, br, zstd' };
  const answer = await fetch(`http://127.0.0.1:${port}${HEALTH}`, { headers });
  expect(['content-encoding', 'content-length'].map((name) => answer.headers.get(name))).toEqual([null, '40000']);
  expect(await answer.text()).toBe(body);
});

describe('draining', () => {
  test('answers a request in flight, and closes its connection', async () => {
    const [arrived, answer] = [Promise.withResolvers<undefined>(), Promise.withResolvers<string>()];
    const { gateway, port } = await serve(async () => {
      arrived.resolve(undefined);
      return { statusCode: 200, body: await answer.promise };
    });
    const socket = connect(port, '127.0.0.1');
    socket.write(GET);
    await arrived.promise;
    const drained = gateway.drain(10_000);
    answer.resolve('answered');
    const received = Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>)).toString();
    await drained;
    expect(received).toMatch(/^HTTP\/1\.1 200 [^]*Connection: close\r\n[^]*answered$/);
  });

  test('waits for no connection without a request, and for none that is kept', async () => {
    const { gateway, port } = await serve(() => Promise.resolve({ statusCode: 200, body: 'answered' }));
    gateway.server.keepAliveTimeout = 0;
    const [unused, kept] = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
    kept.write(GET);
    await once(kept, 'data');
    const ended = [once(unused, 'close'), once(kept, 'close')];
    // Without the drain both would stay open for good, and its own time is longer than a test may take.
    await gateway.drain(600_000);
    await Promise.all(ended);
  });

  test('ends with its time, whatever is in flight', async () => {
    const arrived = Promise.withResolvers<undefined>();
    const { gateway, port } = await serve(() => {
      arrived.resolve(undefined);
      return new Promise(() => undefined);
    });
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined).write(GET);
    await arrived.promise;
    await gateway.drain(50);
    expect(gateway.server.listening).toBe(false);
  });
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
