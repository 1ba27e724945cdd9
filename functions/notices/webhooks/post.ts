import { Resolver } from 'node:dns/promises';
import { request as plainRequest, type ClientRequest, type RequestOptions } from 'node:http';
import { request as secureRequest } from 'node:https';
import { type LookupFunction, BlockList, isIPv4 } from 'node:net';
import type { DeliveryFailure } from '../../accounts/endpoints/deliveries.ts';
import { endpointUrl } from '../../shared/endpoint-url.ts';
import type { Deliver } from '../dependencies.ts';

/** The longest time of a delivery, from the lookup of the name to the status and headers of the answer. */
const TIMEOUT_MS = 5_000;

/** Why there was no answer. It holds no text of the other side. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  readonly failure: DeliveryFailure;

  constructor(failure: DeliveryFailure) {
    super(`the endpoint did not answer: ${failure}`);
    this.failure = failure;
  }
}

interface DeliverySettings {
  /** Whether `http://localhost` may be called, too: only with `npm start`. */
  readonly isLocal?: boolean;
  /** For tests: how names are resolved, which addresses are allowed, and other options of the connection. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
  readonly isAllowed?: (address: string) => boolean;
  readonly connection?: RequestOptions & { readonly ca?: string };
  readonly timeoutMs?: number;
}

/**
 * Sends requests to endpoints of strangers. Each request has its own connection to the address that was checked, with
 * the certificate of the name. It uses no proxy and follows no redirect, and reads nothing of an answer after its
 * status and headers. Rejects with {@link DeliveryError}.
 */
export const deliverer =
  ({
    isLocal = false,
    resolve = resolveIpv4(),
    isAllowed = isPublicAddress,
    connection = {},
    timeoutMs = TIMEOUT_MS,
  }: DeliverySettings = {}): Deliver =>
  async ({ url, headers, body }) => {
    // A stored address may be older than a rule. A literal IP address never reaches the lookup, which checks the
    // others.
    const target = endpointUrl(url, isLocal);
    if (target === undefined) throw new DeliveryError('address');
    const isPlain = target.startsWith('http:');
    const options: RequestOptions = {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' },
      agent: false,
      signal: AbortSignal.timeout(timeoutMs),
      lookup: isPlain ? toAddress(['127.0.0.1']) : checked(resolve, isAllowed),
      ...connection,
    };
    const request = isPlain
      ? plainRequest(target, options)
      : secureRequest(target, { ...options, rejectUnauthorized: true });
    return statusOf(request, body);
  };

/** The status of the answer. Its body is not read. */
const statusOf = (request: ClientRequest, body: string): Promise<number> =>
  new Promise((resolve, reject) => {
    request.once('response', ({ statusCode = 0 }) => {
      resolve(statusCode);
      request.destroy();
    });
    request.on('upgrade', (_answer, socket) => {
      socket.destroy();
      reject(new DeliveryError('connection'));
    });
    request.on('error', (error) => {
      reject(error instanceof DeliveryError ? error : new DeliveryError(isTimeout(error) ? 'timeout' : 'connection'));
    });
    request.end(body);
  });

const isTimeout = ({ name }: Error): boolean => name === 'AbortError' || name === 'TimeoutError';

/**
 * Resolves a name once. Every address of the name must be allowed, since with a mix it is unknown which one is called.
 */
const checked =
  (
    resolve: NonNullable<DeliverySettings['resolve']>,
    isAllowed: NonNullable<DeliverySettings['isAllowed']>,
  ): LookupFunction =>
  (name, options, callback) => {
    resolve(name).then(
      (addresses) => {
        if (addresses.length > 0 && addresses.every(isAllowed)) toAddress(addresses)(name, options, callback);
        else callback(new DeliveryError('address'), []);
      },
      () => callback(new DeliveryError('address'), []),
    );
  };

const toAddress =
  ([address = '']: readonly string[]): LookupFunction =>
  (_name, { all }, callback) => {
    if (all === true) callback(null, [{ address, family: 4 }]);
    else callback(null, address, 4);
  };

/**
 * The IPv4 addresses of a name. It asks twice within four seconds. `dns.lookup` would hold one of the process's four
 * threads while a stranger's name server is silent, and everything else waits for these threads, too.
 * @param servers for tests: the name servers to ask, instead of the machine's own
 */
export const resolveIpv4 =
  (servers?: readonly string[]) =>
  (name: string): Promise<string[]> => {
    const resolver = new Resolver({ timeout: 1_000, tries: 2 });
    if (servers) resolver.setServers(servers);
    return resolver.resolve4(name);
  };

/**
 * IPv4 addresses that no public server has (IANA, "IPv4 Special-Purpose Address Registry" and "IPv4 Multicast Address
 * Space"): this machine and its network, AWS's metadata (169.254.169.254), shared, private, reserved and documentation
 * addresses.
 */
const SPECIAL = [
  ...(['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'] as const),
  ...(['192.0.0.0/24', '192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24'] as const),
  ...(['192.168.0.0/16', '192.175.48.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'] as const),
  ...(['224.0.0.0/4', '240.0.0.0/4'] as const),
];
const blocked = new BlockList();
for (const subnet of SPECIAL) {
  const [network, bits] = subnet.split('/') as [string, string];
  blocked.addSubnet(network, Number(bits));
}

/** Whether a text is a public IPv4 address. IPv6 is never called, since it has many ways to hold an IPv4 address. */
export const isPublicAddress = (address: string): boolean => isIPv4(address) && !blocked.check(address);
