import type { Clean } from './cleaning.ts';

/** Checks of what the caller gives. No message repeats a value: it may be a key. */

const VISIBLE_ASCII = /^[\x21-\x7E]+$/;
/** Where a key in clear text stays on this machine. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** A member that is not known would be a wish that nobody fulfils. */
export function checkMembers(given: unknown, known: readonly string[], where: string): void {
  if (typeof given !== 'object' || given === null) throw new TypeError(`${where} must be an object.`);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const has = known.length > 0 ? known.join(', ') : 'no members';
  throw new TypeError(`${where} has no ${JSON.stringify(unknown.slice(0, 40))}; it has ${has}.`);
}

/** An API key or a token. White space around it is taken away: files of secrets end with a new line. */
export function checkedSecret(
  given: string | undefined,
  { member, word, variable }: Readonly<Record<'member' | 'word' | 'variable', string>>,
): string {
  const secret = (given ?? '').trim();
  if (secret === '')
    throw new TypeError(`The ${word} is missing: set ${variable} in the environment, or give ${member}.`);
  if (!VISIBLE_ASCII.test(secret)) throw new TypeError(`${member} has a character that no ${word} has.`);
  return secret;
}

/** The address without a slash at its end. */
export function checkedBaseURL(
  given: string | undefined,
  { variable, isPath, pathRule }: { variable: string; isPath: (path: string) => boolean; pathRule: string },
): string {
  if (!given) throw new TypeError(`The address is missing: set ${variable} in the environment, or give baseURL.`);
  if (!URL.canParse(given)) throw new TypeError('baseURL is not an address: it begins with https://');
  const { protocol, hostname, origin, pathname, username, search, hash } = new URL(given);
  const isPrivate = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
  if (!isPrivate || username) {
    throw new TypeError('baseURL must begin with https://, so that nobody on the way reads what is sent.');
  }
  const path = pathname.replace(/\/+$/, '');
  if (search || hash || !isPath(path)) throw new TypeError(pathRule);
  return origin + path;
}

/** The longest time that a timer takes. */
const LAST = 2 ** 31 - 1;

/** A number of things or of milliseconds. */
export function checkedCount(value: number, name: string, first: number): number {
  if (Number.isInteger(value) && value >= first && value <= LAST) return value;
  throw new TypeError(`${name} must be a whole number from ${first} to ${LAST}.`);
}
export const checkedTimeout = (value: number): number => checkedCount(value, 'timeout', 1);
export const checkedRetries = (value: number): number => checkedCount(value, 'maxRetries', 0);

export function checkedFunction<F>(value: F, name: string): F {
  if (value === undefined || typeof value === 'function') return value;
  throw new TypeError(`${name} must be a function.`);
}

/** Those that this library sets, and those of the connection. */
const OURS =
  /^(authorization|content-.*|idempotency-key|user-agent|accept-encoding|host|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|proxy-.*)$/i;

/** As a header has it (RFC 9110, section 5.5): spaces within, none around. */
const FIELD_VALUE = /^(?! )[\x20-\x7E]*(?<! )$/;

/**
 * Headers of one call: none of ours, and nothing that a connection would read as another one. Each is read once: what
 * was checked is what is sent.
 */
export function checkedHeaders(
  headers: Readonly<Record<string, string>> | null,
  clean: Clean,
): Readonly<Record<string, string>> {
  // A Map and the Headers of a fetch have no names of their own: theirs would be lost without a word.
  if (Object.prototype.toString.call(headers) !== '[object Object]') {
    throw new TypeError('headers must be a plain object of names and values.');
  }
  const given = Object.entries(headers ?? {});
  for (const [name, value] of given) {
    if (OURS.test(name)) throw new TypeError(`headers has no ${name}: the library sets it.`);
    const isSent = /^[!#$%&'*+.^_`|~\w-]+$/.test(name) && typeof value === 'string' && FIELD_VALUE.test(value);
    if (isSent && clean(name + value) === name + value) continue;
    throw new TypeError(
      'headers must be names and values in printable ASCII characters, without a secret, or a space at an end.',
    );
  }
  return Object.fromEntries(given);
}

/** It becomes a part of a path, and nothing more. */
export function checkedId(id: unknown, name: string): string {
  if (typeof id === 'string' && /^[\w-]{1,64}$/.test(id)) return id;
  throw new TypeError(`${name} must be an id, as an answer or the portal has it.`);
}

/** It is on results and errors. */
export function checkedIdempotencyKey(key: string, clean: Clean): string {
  const isSent = typeof key === 'string' && VISIBLE_ASCII.test(key) && key.length <= 255;
  if (isSent && clean(key) === key) return key;
  throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters, and no API key.');
}
