import { cleanerFor, type Clean } from './cleaning.ts';
import type { SandboxGatewayError } from './errors.ts';
import {
  checkedBaseURL,
  checkedFunction,
  checkedKey,
  checkedRetries,
  checkedTimeout,
  checkMembers,
  fromEnvironment,
} from './input.ts';

export interface SandboxGatewayOptions {
  /** A test key. Default: `SANDBOX_GATEWAY_API_KEY` of the environment. */
  readonly apiKey?: string | undefined;
  /**
   * Address of the gateway, as the portal shows it: `https://…`; `http://` on this machine only. Default:
   * `SANDBOX_GATEWAY_BASE_URL` of the environment.
   */
  readonly baseURL?: string | undefined;
  /**
   * How many milliseconds one attempt may take, with its whole answer. Default: 10,000. The gateway takes four at most.
   */
  readonly timeout?: number | undefined;
  /** The number of attempts after the first. Default: 2. */
  readonly maxRetries?: number | undefined;
  /** Sends a request, so that a test answers without a network. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Told of each attempt that failed before it is repeated, and how many milliseconds the call waits first. */
  readonly onRetry?: ((error: SandboxGatewayError, waitMs: number) => void) | undefined;
}

const MEMBERS = ['apiKey', 'baseURL', 'timeout', 'maxRetries', 'fetch', 'onRetry'];

/** Options that were checked, and what the environment told when the client was made. */
export interface Settings {
  readonly apiKey: string;
  readonly baseURL: string;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly onRetry: SandboxGatewayOptions['onRetry'];
  readonly clean: Clean;
}

export function settingsOf(options: SandboxGatewayOptions): Settings {
  checkMembers(options, MEMBERS, 'The argument of SandboxGateway');
  const apiKey = checkedKey(options.apiKey ?? fromEnvironment('SANDBOX_GATEWAY_API_KEY'));
  return {
    apiKey,
    baseURL: checkedBaseURL(options.baseURL ?? fromEnvironment('SANDBOX_GATEWAY_BASE_URL')),
    timeoutMs: checkedTimeout(options.timeout ?? 10_000),
    maxRetries: checkedRetries(options.maxRetries ?? 2),
    fetch: checkedFunction(options.fetch, 'fetch'),
    onRetry: checkedFunction(options.onRetry, 'onRetry'),
    clean: cleanerFor(apiKey),
  };
}
