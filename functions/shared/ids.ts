/** The alphabet of keys and ids (docs/architecture.md, "API keys"): digits, upper case, lower case. */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** How many characters there are. */
export const BASE = ALPHABET.length;

/** Fills with cryptographically strong random bytes; `node:crypto`'s `randomBytes` fits. */
export type RandomBytes = (size: number) => Uint8Array;

/**
 * A string of `length` uniformly random base62 characters (5.95 bits each). Bytes of 248 and above are discarded:
 * without that, the first eight characters would be more likely than the others.
 */
export function randomBase62(length: number, randomBytes: RandomBytes): string {
  const unbiasedBelow = 256 - (256 % BASE);
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      if (byte < unbiasedBelow) text += ALPHABET.charAt(byte % BASE);
    }
  }
  return text;
}

/** A non-negative integer, of 53 bits at most, in base62, left-padded with `0` to `width` characters. */
export function encodeBase62(value: number, width: number): string {
  let digits = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / BASE)) digits = ALPHABET.charAt(rest % BASE) + digits;
  return digits.padStart(width, '0');
}

/** Random part of public ids, in base62 characters: 95 bits, so that no two ids are equal. */
const ID_LENGTH = 16;

/**
 * A public id of an account, key, member, person (`usr`), session, endpoint or token, such as `key_9aBcD3fGhJ5kLmN7`. It
 * names the thing without personal data, and cannot be used as a key, a token or a session.
 */
export const generateId = (
  kind: 'acc' | 'key' | 'mem' | 'usr' | 'ses' | 'ept' | 'tok',
  randomBytes: RandomBytes,
): string => `${kind}_${randomBase62(ID_LENGTH, randomBytes)}`;

/** Characters of a time in milliseconds: enough for 6,900 years. */
const TIME_LENGTH = 8;

/**
 * A new id of a delivery to an endpoint, such as `dlv_0UzL8kQ2Rm4tXc7b`: its time, so that ids sort by it, and 47
 * random bits, so that two of one endpoint and millisecond differ.
 */
export const generateDeliveryId = (atMs: number, randomBytes: RandomBytes): string =>
  `dlv_${encodeBase62(atMs, TIME_LENGTH)}${randomBase62(ID_LENGTH - TIME_LENGTH, randomBytes)}`;

/** The bits of version 7 and of the variant (RFC 9562, section 5.7). */
const VERSION_7 = 0x70;
const VARIANT = 0x80;
const TIME_BYTES = 6;
const RANDOM_BYTES = 10;

/** The id of a request: a UUID of version 7 with the time of its receipt and 74 random bits. */
export function requestIdAt(receivedAtMs: number, randomBytes: RandomBytes): string {
  const random = randomBytes(RANDOM_BYTES);
  const [versioned = 0, , varied = 0] = random;
  const bytes = Buffer.from([0, 0, 0, 0, 0, 0, ...random]);
  bytes.writeUIntBE(receivedAtMs, 0, TIME_BYTES);
  bytes[TIME_BYTES] = VERSION_7 | (versioned & 0x0f);
  bytes[TIME_BYTES + 2] = VARIANT | (varied & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * When the request with this id was received. Undefined: no request has it, since it is not of version 7.
 */
export const receivedAtOf = (requestId: string): number | undefined =>
  requestId[14] === '7' ? Number.parseInt(requestId.slice(0, 8) + requestId.slice(9, 13), 16) : undefined;
