import { cleanerFor, type Clean } from './cleaning.ts';
import { Connections } from './connections.ts';
import { UNEXPECTED, type SandboxGatewayError } from './errors.ts';
import {
  checkedBaseURL,
  checkedCount,
  checkedFunction,
  checkedHeaders,
  checkedRetries,
  checkedSecret,
  checkedTimeout,
  checkMembers,
} from './input.ts';
import { fromEnvironment, isBrowser, runtimeName, setsAcceptEncoding } from './runtime.ts';
import { VERSION } from './version.ts';

/** Options of a client of either API. */
export interface ClientOptions {
  /**
   * Address of the API, as the portal shows it: `https://…`; `http://` on this machine only. Default:
   * `SANDBOX_GATEWAY_BASE_URL`, or `SANDBOX_MANAGEMENT_BASE_URL`, of the environment.
   */
  readonly baseURL?: string | undefined;
  /**
   * How many milliseconds one attempt may take, with its whole answer. Default: 10,000. The gateway takes four at most.
   */
  readonly timeout?: number | undefined;
  /** The number of attempts after the first. Default: 2. */
  readonly maxRetries?: number | undefined;
  /** More headers, as those of a trace; none that this library sets. Those of a call replace those of the client. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** How many attempts may be under way at once; the others wait, within their timeout. Default: 50. */
  readonly maxConnections?: number | undefined;
  /** Sends a request, so that a test answers without a network. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Told of each attempt that failed before it is repeated, and how many milliseconds the call waits first. */
  readonly onRetry?: ((error: SandboxGatewayError, waitMs: number) => unknown) | undefined;
}

/** Options that were checked, and what the environment told when the client was made. */
export interface Settings {
  readonly baseURL: string;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Of every request, with the secret. */
  readonly ownHeaders: Readonly<Record<string, string>>;
  readonly connections: Connections;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly onRetry: ClientOptions['onRetry'];
  readonly log: (line: string) => void;
  readonly clean: Clean;
  /** Of texts in a success. */
  readonly cleanData: Clean;
  readonly refusesEncoded: boolean;
  /** What to look at after such an answer, which another server may have given. */
  readonly hintOf: (status: number, code: string) => string;
}

/** What differs between the two APIs. */
const APIS = {
  SandboxGateway: {
    secret: ['apiKey', 'API key', 'SANDBOX_GATEWAY_API_KEY'],
    variable: 'SANDBOX_GATEWAY_BASE_URL',
    more: ['dangerouslyAllowBrowser'],
    isPath: (path: string) => !/\/api\/v1(\/|$)/.test(path),
    pathRule: 'baseURL must end before /api/v1: the library adds the path itself.',
    // The gateway has each path that is asked for. The portal, among others, has not.
    isElsewhere: (code: string) => code === 'NOT_FOUND',
    hint: 'the gateway’s address, and not the portal’s',
    isForPeople: true,
  },
  SandboxManagement: {
    secret: ['token', 'management token', 'SANDBOX_MANAGEMENT_TOKEN'],
    variable: 'SANDBOX_MANAGEMENT_BASE_URL',
    more: [],
    isPath: (path: string) => path.endsWith('/manage/v1'),
    pathRule: 'baseURL must end with /manage/v1, as https://portal.example/manage/v1.',
    isElsewhere: () => false,
    hint: 'the portal’s, with /manage/v1',
    // A name is data: it may have any characters. A new key is in an answer, too.
    isForPeople: false,
  },
} as const;

const MEMBERS = ['baseURL', 'timeout', 'maxRetries', 'headers', 'maxConnections', 'fetch', 'onRetry'];

export function settingsOf(
  name: 'SandboxGateway' | 'SandboxManagement',
  options: ClientOptions & { readonly dangerouslyAllowBrowser?: boolean | undefined },
): Settings {
  const api = APIS[name];
  const [member, word, variable] = api.secret;
  checkMembers(options, [member, ...MEMBERS, ...api.more], `The argument of ${name}`);
  if (isBrowser() && options.dangerouslyAllowBrowser !== true) {
    throw new Error(`sandbox-gateway runs on servers only: in a browser everybody could read the ${word}.`);
  }
  const given = (options as Readonly<Record<string, string | undefined>>)[member];
  const secret = checkedSecret(given ?? fromEnvironment(variable), { member, word, variable });
  const baseURL = checkedBaseURL(options.baseURL ?? fromEnvironment(api.variable), api);
  const clean = cleanerFor(secret, `[${word}]`);
  const isLogged = fromEnvironment('SANDBOX_GATEWAY_LOG') === 'debug';
  return {
    baseURL,
    timeoutMs: checkedTimeout(options.timeout ?? 10_000),
    maxRetries: checkedRetries(options.maxRetries ?? 2),
    headers: checkedHeaders(options.headers ?? {}, clean),
    ownHeaders: {
      Authorization: `Bearer ${secret}`,
      // A browser sends its own, and asks the gateway whether it may send another.
      ...(!isBrowser() && {
        'Accept-Encoding': 'identity',
        'User-Agent': `sandbox-gateway-typescript/${VERSION} ${runtimeName()}`,
      }),
    },
    connections: new Connections(checkedCount(options.maxConnections ?? 50, 'maxConnections', 1)),
    fetch: checkedFunction(options.fetch, 'fetch'),
    onRetry: checkedFunction(options.onRetry, 'onRetry'),
    log: isLogged ? (line) => console.error(`sandbox-gateway: ${clean(line)}`) : () => undefined,
    clean,
    cleanData: api.isForPeople ? clean : (text) => text,
    refusesEncoded: setsAcceptEncoding(),
    hintOf: (status, code) => {
      const isElsewhere =
        code === UNEXPECTED ? status < 400 || status === 404 || status === 405 : api.isElsewhere(code);
      return isElsewhere ? ` Is baseURL (${baseURL}) ${api.hint}?` : '';
    },
  };
}
