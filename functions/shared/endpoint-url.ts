/** The longest address of an endpoint, in characters. */
const MAX_URL_CHARACTERS = 500;

/** The message for a refused address. */
export const ENDPOINT_URL_RULE =
  `Give an https address of at most ${MAX_URL_CHARACTERS} characters with a name, such as ` +
  'https://example.com/hooks: no IP address, no other port, no user name, no #.';

/**
 * The address of an endpoint in the form of the request. Undefined: it is not allowed. It must have a public-looking
 * name: a literal IP address never reaches the `lookup`, which checks the others. The parser of URLs takes `127.1`,
 * `0x7f000001` and `[::ffff:127.0.0.1]` as IP addresses.
 * @param isLocal whether `http://localhost` is allowed too, with any port: `npm start` only
 */
export function endpointUrl(text: string, isLocal = false): string | undefined {
  if (text.length > MAX_URL_CHARACTERS || !/^[\x21-\x7E]+$/.test(text) || text.includes('\\')) return undefined;
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port, username, password, href } = new URL(text);
  if (username !== '' || password !== '' || text.includes('#') || href.length > MAX_URL_CHARACTERS) return undefined;
  if (isLocal && protocol === 'http:' && hostname === 'localhost') return href;
  if (protocol !== 'https:' || port !== '') return undefined;
  return isNamePublic(hostname) ? href : undefined;
}

/** Names of no public server (RFC 6761, RFC 6762, and ICANN's name for private use). */
const PRIVATE_ENDS = /(^|\.)(localhost|local|internal|intranet|lan|home|corp|test|invalid|onion|home\.arpa)$/;

/** A name with a dot inside and none at its end, where checks of the name would read another name. */
const isNamePublic = (hostname: string): boolean =>
  /^([a-z0-9_]([a-z0-9_-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/.test(hostname) && !PRIVATE_ENDS.test(hostname);
