import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { gatewayServer, type FunctionServer, type Handlers } from '../../local/http-server.ts';

const HEALTH = '/api/v1/health';
const running: FunctionServer[] = [];

/** A server over a handler; its port. */
async function serve(
  handler: Handlers['health'],
  requestTimeoutMs?: number,
): Promise<{ gateway: FunctionServer; port: number }> {
  const gateway = gatewayServer(Promise.resolve({ health: handler, metered: handler }), undefined, requestTimeoutMs);
  running.push(gateway);
  gateway.server.listen(0, '127.0.0.1');
  await once(gateway.server, 'listening');
  return { gateway, port: (gateway.server.address() as AddressInfo).port };
}
afterEach(async () => {
  for (const gateway of running.splice(0)) await gateway.drain(0);
});

/** What comes back on a connection for some bytes, once the client has ended its own side. */
async function exchange(port: number, bytes: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.end(bytes);
  return Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>)).toString();
}

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

describe('what Node by itself would leave without an answer, or answer out of turn', () => {
  const get = `GET ${HEALTH} HTTP/1.1\r\nHost: x\r\n\r\n`;

  /** A server that answers nothing before the client has ended its side. */
  async function serveLate(): Promise<number> {
    const ended = Promise.withResolvers<undefined>();
    const { gateway, port } = await serve(async () => {
      await ended.promise;
      return { statusCode: 200, body: 'answered' };
    });
    gateway.server.on('connection', (socket) => socket.on('end', () => ended.resolve(undefined)));
    return port;
  }

  test('a client that has ended its side of the connection gets its answer', async () => {
    expect(await exchange(await serveLate(), get)).toMatch(/^HTTP\/1\.1 200 [^]*answered$/);
  });

  test('CONNECT is refused in the envelope', async () => {
    const answer = await exchange(await serveLate(), 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 404 [^]*X-Service-Request-Id: [^]*"code":"NOT_FOUND"/);
  });

  test('a client that is gone before CONNECT is refused does not end the process', async () => {
    const { gateway, port } = await serve(() => Promise.resolve({ statusCode: 200 }));
    gateway.server.on('connect', (_request, socket) => socket.emit('error', new Error('EPIPE')));
    expect(await exchange(port, 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n')).not.toContain('HTTP/1.1 200');
    expect(await exchange(port, get)).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each([
    ['no HTTP', 'no HTTP\r\n\r\n'],
    ['a request that breaks off', 'GET / HT'],
    ['a request with a broken body', 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n'],
    ['CONNECT', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('the refusal of %s waits for the answers to the requests before it', async (_name, bytes) => {
    const answer = await exchange(await serveLate(), get + get + bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*answeredHTTP\/1\.1 200 [^]*answeredHTTP\/1\.1 40[04] /);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(3);
  });

  test('a client that waits for 100 Continue gets it in its turn, never within another answer', async () => {
    const { port } = await serve(async ({ rawPath }) => {
      // The answers to the later requests would be ready before their turn.
      if (rawPath === HEALTH) for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      return { statusCode: 200, body: `answer-${rawPath}` };
    });
    const patient = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n`;
    const whole = await exchange(port, `${get}${patient('/a')}{}${patient('/b')}{}`);
    const continued = 'HTTP/1\\.1 100 Continue\r\n\r\nHTTP/1\\.1 200 [^]*\r\n\r\n';
    expect(whole).toMatch(new RegExp(`health${continued}answer-/a${continued}answer-/b$`));

    const socket = connect(port, '127.0.0.1');
    socket.write(get.replace(HEALTH, '/api') + patient('/a'));
    let received = '';
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      received += chunk.toString();
      if (received.endsWith('100 Continue\r\n\r\n')) socket.end('{}');
    }
    expect(received).toMatch(/answer-\/api[^]*HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 [^]*answer-\/a$/);
  });

  test('a request for an upgrade that breaks off is refused', async () => {
    const start = 'POST / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\nContent-Length: 3\r\n\r\n{}';
    expect(await exchange(await serveLate(), start)).toMatch(/^HTTP\/1\.1 400 /);
  });

  test.each(['close', 'keep-alive', 'keep-alive, x'])('an HTTP/1.0 answer says its length (%s)', async (connection) => {
    const { port } = await serve(() => Promise.resolve({ statusCode: 200, body: 'answered' }));
    const answer = await exchange(port, `GET ${HEALTH} HTTP/1.0\r\nConnection: ${connection}\r\n\r\n`);
    expect(answer).toContain('\r\nContent-Length: 8\r\n');
  });

  test.each(['HTTP/1.0', 'HTTP/1.1\r\nConnection: close'])(
    'nothing is answered after the last request (%s)',
    async (last) => {
      const answer = await exchange(await serveLate(), `GET ${HEALTH} ${last}\r\nHost: x\r\n\r\nno HTTP\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 200 [^]*answered$/);
    },
  );

  test.each([
    ['headers', `POST ${HEALTH} HTTP/1.1\r\nHost: x\r\nX-Slow: `],
    ['body', `POST ${HEALTH} HTTP/1.1\r\nHost: x\r\nContent-Length: 10000\r\n\r\n`],
  ])('a client that drips its %s is refused in time', async (_name, start) => {
    const { port } = await serve(() => Promise.resolve({ statusCode: 200 }), 300);
    const socket = connect(port, '127.0.0.1');
    socket.write(start);
    const drip = setInterval(() => socket.write('x'), 20);
    // Long before Node, left to itself, would look for it.
    const givingUp = setTimeout(() => socket.destroy(new Error('no answer in time')), 5_000);
    socket.once('data', () => clearInterval(drip)).on('close', () => clearInterval(drip));
    const received = await Array.fromAsync(socket as AsyncIterable<Buffer>).finally(() => clearTimeout(givingUp));
    const answer = Buffer.concat(received).toString();
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*X-Service-Request-Id: [^]*"code":"INVALID_REQUEST"/);
    expect(answer).toContain('it came too slowly');
  });

  test('a client that still sends when it is refused can read why', async () => {
    const { port } = await serve(() => Promise.resolve({ statusCode: 200 }));
    const start = `POST ${HEALTH} HTTP/1.1\r\nBad Name: x\r\n\r\n`;
    expect(await exchange(port, start + 'x'.repeat(3_000_000))).toMatch(/^HTTP\/1\.1 400 /);
  });

  test('a client that is refused and never ends its side is hung up on', async () => {
    const { gateway, port } = await serve(() => Promise.resolve({ statusCode: 200 }));
    const connected = once(gateway.server, 'connection') as Promise<[Socket]>;
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    client.on('error', () => undefined).write('no HTTP\r\n\r\n');
    const [served] = await connected;
    await once(client.resume(), 'end');
    await once(served, 'close');
    client.destroy();
  });
});
