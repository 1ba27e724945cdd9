/** The forms in which a stage keeps network addresses of callers. */
export const SOURCE_ADDRESSES = ['none', 'truncated', 'full'] as const;
export type SourceAddresses = (typeof SOURCE_ADDRESSES)[number];

const MAX_USER_AGENT_CHARACTERS = 60;
/**
 * The bytes for `userAgent` and `clientRequestId` together. The longest charged event has 472 others, so it fits into
 * 1,024: one write unit.
 */
const SHARED_BYTES = 552;
/**
 * The beginning of a key or a token, also where it is cut, encoded or broken: the rest is often enough to complete it.
 */
const BEGINS_CREDENTIAL = /svc(_|%5f)(test|live|mgmt)(_|%5f)/i;
const NOT_PRINTABLE = /[^\x20-\x7E]/g;

/** The user agent of a request, as an event keeps it. One that holds a credential, or a part of one, is not kept. */
export function keptUserAgent(header: string | undefined, clientRequestId: string | null): string | null {
  if (header === undefined || BEGINS_CREDENTIAL.test(header)) return null;
  const room = SHARED_BYTES - Buffer.byteLength(clientRequestId ?? '');
  const text = header.replace(NOT_PRINTABLE, '?').trim();
  return text.slice(0, Math.min(MAX_USER_AGENT_CHARACTERS, room)) || null;
}

/** The network part of an address: 24 bits of IPv4, 48 of IPv6. */
const IPV4 = /^(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/;
const IPV6 = /^[0-9a-f:]{2,39}$/i;
const IPV6_GROUPS = 8;
const KEPT_GROUPS = 3;

/** The address of a caller, as an event keeps it. Null: the stage keeps none, or it has an unknown form. */
export function keptSourceAddress(address: string | undefined, form: SourceAddresses): string | null {
  if (form === 'none' || address === undefined) return null;
  const ipv4 = IPV4.exec(address)?.[1];
  if (ipv4 !== undefined) return form === 'full' ? address : `${ipv4}.0`;
  if (!IPV6.test(address)) return null;
  return form === 'full' ? address : `${networkOf(address)}::`;
}

/** The first groups of an IPv6 address, also where `::` stands for some of them. */
function networkOf(address: string): string {
  const [before = '', after] = address.split('::', 2);
  const groups = before.split(':').filter(Boolean);
  const others = after?.split(':').filter(Boolean) ?? [];
  const zeros = Math.max(0, IPV6_GROUPS - groups.length - others.length);
  const all = [...groups, ...Array.from({ length: zeros }, () => '0'), ...others];
  return all.slice(0, KEPT_GROUPS).join(':');
}
