import type { RandomBytes } from './ids.ts';

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

/** When the request of an id was received. Undefined: an id of version 4, from an older version, holds no time. */
export const receivedAtOf = (requestId: string): number | undefined =>
  requestId[14] === '7' ? Number.parseInt(requestId.slice(0, 8) + requestId.slice(9, 13), 16) : undefined;
