interface Thrown {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
}

/** All that this throws is of the network: its arguments were checked. */
const OF_THE_RUNTIME = globalThis.fetch;
/** Codes by which Node and undici tell of the program, and not of the network. */
const OF_THE_PROGRAM = /^(ERR_ASSERTION|ERR_INVALID|UND_MOCK|UND_ERR_(INVALID|NOT_SUPPORTED))/;
/** Of sockets, names, TLS, HTTP and compression, in Node, undici and the libraries that stand on them. */
const OF_THE_NETWORK =
  /^(E(CONN|HOST|NET|ADDR|AI_|NOTFOUND$|PIPE$|TIMEDOUT$|NOTCONN$|PROTO$|[MN]FILE$|NOBUFS$)|UND_ERR_|ERR_(SSL|TLS|HTTP2|STREAM|NETWORK)|HPE_|Z_|UNABLE_TO_|\w*CERT)/;
/** Fetch has no class of errors for the network. Node, Deno, browsers and workers say it in these words. */
const WORDS = /^(fetch failed|terminated|error (sending|reading)|failed to fetch|network)/i;
const NAMES: readonly unknown[] = ['AbortError', 'TimeoutError', 'NetworkError'];

/** Whether this fetch failed, and not the program that called or replaced it. */
export function isOfNetwork(error: unknown, fetch: typeof globalThis.fetch): boolean {
  const code = codeOf(rootOf(error));
  if (OF_THE_PROGRAM.test(code)) return false;
  if (fetch === OF_THE_RUNTIME || OF_THE_NETWORK.test(code)) return true;
  const { name, message } = Object(error) as Thrown;
  return NAMES.includes(name) || (name === 'TypeError' && WORDS.test(String(message)));
}

/** What failed, in words without a text of the error. */
export function failureOf(error: unknown, baseURL: string): string {
  const root = rootOf(error);
  const code = codeOf(root);
  const { name } = root;
  const isTold = typeof name === 'string' && /^[A-Za-z]{1,40}$/.test(name) && (name !== 'Error' || code === '');
  const told = [...(isTold ? [name] : []), ...(code ? [code] : [])].join(', ');
  const why = told && ` (${told})`;
  if (code === 'ECONNREFUSED') return `Nothing listens at ${baseURL}${why}: is this the gateway’s address?`;
  if (code === 'ENOTFOUND') return `There is no host of this name, ${baseURL}${why}: is this the gateway’s address?`;
  return `No whole answer came from ${baseURL}${why}.`;
}

const codeOf = ({ code }: Thrown): string =>
  typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,39}$/.test(code) ? code : '';

/** The cause that has a code; the first one of all where none has. */
function rootOf(error: unknown): Thrown {
  const { code, cause } = Object(error) as Thrown;
  const isRoot = typeof code === 'string' || cause === undefined || cause === error;
  return isRoot ? (Object(error) as Thrown) : rootOf(cause);
}
