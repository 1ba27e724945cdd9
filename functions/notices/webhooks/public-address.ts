import { BlockList, isIPv4 } from 'node:net';

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
