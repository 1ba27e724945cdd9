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

/** A server that holds two requests, pipelined on one connection, until their answers are given. */
async function pipelined() {
  const answers = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const arrived = Promise.withResolvers<undefined>();
  let count = 0;
  const { gateway, port } = await serve(async () => {
    const answer = answers[count++];
    if (count === answers.length) arrived.resolve(undefined);
    return { statusCode: 200, body: (await answer?.promise) ?? '' };
  });
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET ${HEALTH} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(answers.length));
  await arrived.promise;
  const received = async () => Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>)).toString();
  return { gateway, socket, received, answer: (index: number) => answers[index]?.resolve(`answer-${index}`) };
}

describe('draining answers every request in flight on a connection', () => {
  test('that was answered in part before', async () => {
    const { gateway, socket, received, answer } = await pipelined();
    answer(0);
    const [start] = (await once(socket, 'data')) as [Buffer];
    const drained = gateway.drain(10_000);
    answer(1);
    const rest = await received();
    await drained;
    expect(start.toString()).toContain('answer-0');
    expect(rest).toContain('answer-1');
  });

  test.each([
    ['in order', [0, 1]],
    ['the second first', [1, 0]],
  ])('whose answers come %s, and closes it with the last', async (_name, order) => {
    const { gateway, received, answer } = await pipelined();
    const startedAt = performance.now();
    const drained = gateway.drain(10_000);
    for (const index of order) {
      answer(index);
      await new Promise(setImmediate);
    }
    expect(await received()).toMatch(/answer-0[^]*answer-1/);
    await drained;
    // Left to itself an idle connection would stay open for five seconds.
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  test('whose last answer was ready before, and closes it then', async () => {
    const { gateway, received, answer } = await pipelined();
    answer(1);
    await new Promise(setImmediate);
    const startedAt = performance.now();
    const drained = gateway.drain(10_000);
    answer(0);
    expect(await received()).toMatch(/answer-0[^]*answer-1/);
    await drained;
    expect(performance.now() - startedAt).toBeLessThan(3_000);
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
