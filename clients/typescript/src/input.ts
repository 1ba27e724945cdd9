/** Checks of what the caller gives. No message repeats a value: it may be a key. */

const VISIBLE_ASCII = /^[\x21-\x7E]+$/;
/** Where a key in clear text stays on this machine. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Throws in a page or a worker of a browser, since every visitor of the page could read the key. */
export function refuseBrowsers(): void {
  const { process } = globalThis as { readonly process?: { readonly versions?: { readonly node?: string } } };
  const isServer = 'Deno' in globalThis || process?.versions?.node !== undefined;
  if (isServer && !('document' in globalThis)) return;
  throw new Error('sandbox-gateway runs on servers only: in a browser everybody could read the API key.');
}

/** White space around it is taken away: files of secrets end with a new line. */
export function checkedKey(apiKey: string | undefined): string {
  const key = apiKey?.trim() ?? '';
  if (key === '') throw new TypeError('apiKey is missing: is the variable set in the environment?');
  if (!VISIBLE_ASCII.test(key)) throw new TypeError('apiKey has a character that no API key has.');
  return key;
}

/** The address without a slash at its end. */
export function checkedBaseUrl(baseUrl: string | undefined): string {
  if (!baseUrl || !URL.canParse(baseUrl)) throw new TypeError('baseUrl is not an address: it begins with https://');
  const { protocol, hostname, origin, pathname, username } = new URL(baseUrl);
  const isPrivate = protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname));
  if (!isPrivate || username) {
    throw new TypeError('baseUrl must begin with https://, so that nobody on the way reads the API key.');
  }
  return origin + pathname.replace(/\/+$/, '');
}

/** The longest time that a timer takes. */
const LAST = 2 ** 31 - 1;

export function checkedCount(value: number, name: string, first = 0): number {
  if (Number.isInteger(value) && value >= first && value <= LAST) return value;
  throw new TypeError(`${name} must be a whole number from ${first} to ${LAST}.`);
}

export function checkedIdempotencyKey(key: string): string {
  if (VISIBLE_ASCII.test(key) && key.length <= 255) return key;
  throw new TypeError('idempotencyKey must be 1 to 255 visible ASCII characters.');
}
