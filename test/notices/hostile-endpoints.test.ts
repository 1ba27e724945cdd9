import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { createServer, type Server } from 'node:https';
import { createServer as createPlainServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { DeliveryError, deliverer, resolveIpv4 } from '../../functions/notices/webhooks/post.ts';
import { isPublicAddress } from '../../functions/notices/webhooks/post.ts';

/** The name that the certificate is for. */
const CERTIFIED_NAME = 'hooks.example.com';

/** A certificate that nobody trusts but a test, valid from 2020 to 2120, and its key, which protects nothing. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBejCCAR+gAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFob29rcy5l
eGFtcGxlLmNvbTAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowHDEa
MBgGA1UEAwwRaG9va3MuZXhhbXBsZS5jb20wWTATBgcqhkjOPQIBBggqhkjOPQMB
BwNCAARXnDAauWmOEgxZkvyHDcdho3FJzD+Ayy9gzsftWkqkUnuJjqQjp6NeVteA
PHuJrE+4QqVL0HDQkSsZgzOnltAlo1AwTjAcBgNVHREEFTATghFob29rcy5leGFt
cGxlLmNvbTAPBgNVHRMBAf8EBTADAQH/MB0GA1UdDgQWBBSW0y0lGwAv8VxI2MIK
VWqjJHGktzAKBggqhkjOPQQDAgNJADBGAiEAueAtMWASGO9/cyKOpT/ReEIbOjI5
BSzL8tAR3gESIsYCIQCPfbTiETAyTxXBgKNcQpIYehKKqaQEpgXfJ8hbGkIumQ==
-----END CERTIFICATE-----
`;
const CERTIFICATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgj7PBjOUGMxpK0R46
UQV1DsIv2rRpJneMP7OSo4r6ID6hRANCAARXnDAauWmOEgxZkvyHDcdho3FJzD+A
yy9gzsftWkqkUnuJjqQjp6NeVteAPHuJrE+4QqVL0HDQkSsZgzOnltAl
-----END PRIVATE KEY-----
`;

const DELIVERY = { url: `https://${CERTIFIED_NAME}/hooks`, headers: { 'webhook-id': 'ntc_1' }, body: '{"a":1}' };

let server: Server;
let answer: Parameters<typeof createServer>[1];
let sockets: Set<Duplex>;
beforeEach(async () => {
  sockets = new Set();
  server = createServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, (request, response) =>
    answer?.(request, response),
  );
  server.on('connection', (socket: Duplex) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const portOf = (): number => (server.address() as AddressInfo).port;
/** As it is deployed, but that the server of the test counts as public. */
const deliver = (settings: Parameters<typeof deliverer>[0] = {}) =>
  deliverer({
    resolve: () => Promise.resolve(['127.0.0.1']),
    isAllowed: (address) => address === '127.0.0.1',
    connection: { port: portOf(), ca: CERTIFICATE },
    ...settings,
  });
const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (status) => status,
    (error: unknown) => (error instanceof DeliveryError ? error.failure : error),
  );

describe('an address', () => {
  test.each([
    ...['0.0.0.0', '0.255.255.255', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.255', '127.0.0.1'],
    ...['127.255.255.255', '169.254.0.1', '169.254.169.254', '172.16.0.1', '172.31.255.255', '192.0.0.8', '192.0.2.1'],
    ...['192.88.99.1', '192.168.0.1', '198.18.0.1', '198.19.255.255', '198.51.100.1', '203.0.113.1', '224.0.0.1'],
    ...['239.255.255.255', '240.0.0.1', '255.255.255.255', '192.31.196.1', '192.52.193.1', '192.175.48.1'],
    ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', 'fe80::1', 'fc00::1', 'fd00:ec2::254', 'ff02::1'],
    ...['64:ff9b::7f00:1', '2002:7f00:1::', '2001:db8::1', '2606:2800:220:1:248:1893:25c8:1946'],
    ...['127.1', '0x7f000001', '2130706433', '0177.0.0.1', 'localhost', '', '8.8.8.8 ', '8.8.8.8.', '8.8.8', 'a.b.c.d'],
  ])('%j is called by nobody', async (address) => {
    expect(isPublicAddress(address)).toBe(false);
    const calling = deliver({ resolve: () => Promise.resolve([address]), isAllowed: isPublicAddress });
    expect(await failureOf(calling(DELIVERY))).toBe('address');
    expect(sockets.size).toBe(0);
  });

  test.each([
    ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
    ...['128.0.0.0', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '223.255.255.255'],
  ])('%s is a public one', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test('that is not public beside a public one is called no more than that one', async () => {
    for (const addresses of [
      ['127.0.0.1', '10.0.0.1'],
      ['10.0.0.1', '127.0.0.1'],
    ]) {
      expect(await failureOf(deliver({ resolve: () => Promise.resolve(addresses) })(DELIVERY))).toBe('address');
    }
    expect(sockets.size).toBe(0);
  });

  test('is the one that was checked: a name that answers another one meanwhile is asked once', async () => {
    answer = (_request, response) => response.end();
    const answers = [['127.0.0.1'], ['10.0.0.1'], ['10.0.0.1']];
    let asked = 0;
    const resolve = () => Promise.resolve(answers[asked++] ?? []);
    expect(await deliver({ resolve })(DELIVERY)).toBe(200);
    expect(asked).toBe(1);
    // The next delivery asks again, and sees that it has changed.
    expect(await failureOf(deliver({ resolve })(DELIVERY))).toBe('address');
    expect([asked, sockets.size]).toEqual([2, 1]);
  });

  test('of a name without an address, or that cannot be resolved, is refused', async () => {
    expect(await failureOf(deliver({ resolve: () => Promise.resolve([]) })(DELIVERY))).toBe('address');
    expect(await failureOf(deliver({ resolve: () => Promise.reject(new Error('SERVFAIL')) })(DELIVERY))).toBe(
      'address',
    );
    expect(await failureOf(deliver({ resolve: () => new Promise(() => undefined), timeoutMs: 50 })(DELIVERY))).toBe(
      'timeout',
    );
  });

  test('whose name servers are silent ends by itself, and holds none of the threads that others need', async () => {
    const silent = createSocket('udp4');
    await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
    let asked = 0;
    silent.on('message', () => asked++);
    const resolve = resolveIpv4([`127.0.0.1:${silent.address().port}`]);
    const failing = Array.from({ length: 8 }, () => failureOf(deliver({ resolve, timeoutMs: 10_000 })(DELIVERY)));
    // It needs one of those threads.
    const looked = lookup('localhost').then(() => 'looked up');
    expect(await Promise.race([looked, ...failing])).toBe('looked up');
    expect(new Set(await Promise.all(failing))).toEqual(new Set(['address']));
    expect(asked).toBe(16);
    silent.close();
  });

  test.each(['https://127.0.0.1/', 'https://[::1]/', 'https://127.1/', 'http://localhost/', 'https://a.com:22/', 'x'])(
    'that is stored as %s from before a rule is not called',
    async (url) => {
      const resolve = () => Promise.reject(new Error('must not be asked'));
      expect(await failureOf(deliver({ resolve })({ ...DELIVERY, url }))).toBe('address');
    },
  );
});

describe('an endpoint', () => {
  test('gets the body and its headers under its own name', async () => {
    const seen: unknown[] = [];
    answer = (request, response) => {
      const { method, url, headers } = request;
      request.setEncoding('utf8');
      request.on('data', (body) => {
        seen.push([method, url, headers.host?.split(':')[0], headers['webhook-id'], body]);
        response.writeHead(204).end();
      });
    };
    expect(await deliver()(DELIVERY)).toBe(204);
    expect(seen).toEqual([['POST', '/hooks', CERTIFIED_NAME, 'ntc_1', '{"a":1}']]);
  });

  test.each([200, 302, 301, 307, 308, 400, 410, 429, 500])(
    'that answers %i is told by its status alone, and is followed nowhere',
    async (status) => {
      let asked = 0;
      answer = (_request, response) => {
        asked++;
        response.writeHead(status, { location: 'http://169.254.169.254/' }).end('x');
      };
      expect(await deliver()(DELIVERY)).toBe(status);
      expect([asked, sockets.size]).toEqual([1, 1]);
    },
  );

  test('that answers a million bytes without end is not read', async () => {
    answer = (_request, response) => {
      response.writeHead(200);
      const more = (): void => {
        while (response.write('x'.repeat(1_000_000)));
        response.once('drain', more);
      };
      more();
    };
    expect(await deliver()(DELIVERY)).toBe(200);
  });

  test.each<[string, (socket: Duplex) => void]>([
    ['a head that never ends', (socket) => void setInterval(() => socket.write('x: 1\r\n'), 5).unref()],
    ['nothing', () => undefined],
    [
      'one interim answer after another',
      (socket) => void setInterval(() => socket.write('HTTP/1.1 102 P\r\n\r\n'), 5).unref(),
    ],
  ])('that sends %s is given up in time', async (_what, send) => {
    answer = ({ socket }) => {
      socket.on('error', () => undefined);
      socket.write('HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 200 OK\r\n'.slice(0, _what.startsWith('a head') ? 99 : 0));
      send(socket);
    };
    expect(['timeout', 'connection']).toContain(await failureOf(deliver({ timeoutMs: 300 })(DELIVERY)));
  });

  test.each<[string, string]>([
    ['no HTTP', 'SSH-2.0-OpenSSH_9\r\n'],
    ['a head of megabytes', `HTTP/1.1 200 OK\r\n${'x: '.padEnd(2_000_000, 'y')}`],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
  ])('that sends %s has not answered', async (_what, text) => {
    answer = ({ socket }) => {
      socket.on('error', () => undefined);
      socket.end(text);
    };
    expect(await failureOf(deliver({ timeoutMs: 2_000 })(DELIVERY))).toBe('connection');
  });

  test('that ends the connection, or that does not listen, has not answered', async () => {
    answer = ({ socket }) => socket.destroy();
    expect(await failureOf(deliver()(DELIVERY))).toBe('connection');
    expect(await failureOf(deliver({ connection: { port: 1, ca: CERTIFICATE } })(DELIVERY))).toBe('connection');
  });

  test('with a certificate of another name, or that nobody has signed, gets nothing', async () => {
    answer = (_request, response) => response.end();
    const other = { ...DELIVERY, url: 'https://other.example.com/hooks' };
    expect(await failureOf(deliver()(other))).toBe('connection');
    expect(await failureOf(deliver({ connection: { port: portOf() } })(DELIVERY))).toBe('connection');
  });

  test('on this machine is called by npm start only', async () => {
    const plain = createPlainServer((_request, response) => response.end());
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const url = `http://localhost:${(plain.address() as AddressInfo).port}/`;
    expect(await deliverer({ isLocal: true })({ ...DELIVERY, url })).toBe(200);
    expect(await failureOf(deliverer()({ ...DELIVERY, url }))).toBe('address');
    await new Promise((resolve) => plain.close(resolve));
  });
});
