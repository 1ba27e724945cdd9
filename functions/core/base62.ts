/** The alphabet of keys and ids (docs/architecture.md, "API keys"): digits, upper case, lower case. */
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** How many characters there are. */
export const BASE = ALPHABET.length;

/** Fills with cryptographically strong random bytes; `node:crypto`'s `randomBytes` fits. */
export type RandomBytes = (size: number) => Uint8Array;

/**
 * A string of `length` uniformly random base62 characters (5.95 bits each). Bytes of 248 and above are thrown away:
 * folding all 256 values onto 62 would make the first eight characters likelier.
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
