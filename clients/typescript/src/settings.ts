import { cleanerFor, type Clean } from './cleaning.ts';
import type { SandboxGatewayError } from './errors.ts';
import { checkedBaseURL, checkedCount, checkedFunction, checkedKey, fromEnvironment } from './input.ts';

/** Each also for one call. */
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

export const OPTION_MEMBERS: readonly string[] = ['apiKey', 'baseURL', 'timeout', 'maxRetries', 'fetch', 'onRetry'];
export const CALL_MEMBERS: readonly string[] = ['idempotencyKey', 'signal', ...OPTION_MEMBERS];

/** Options that were checked. */
export interface Settings {
  readonly apiKey: string;
  readonly baseURL: string;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly fetch: typeof globalThis.fetch | undefined;
  readonly onRetry: SandboxGatewayOptions['onRetry'];
  readonly clean: Clean;
}

/** The settings of these options, and where they do not tell, of the others. */
export function settingsOf(own: SandboxGatewayOptions, others: SandboxGatewayOptions = {}): Settings {
  const apiKey = checkedKey(own.apiKey ?? others.apiKey ?? fromEnvironment('SANDBOX_GATEWAY_API_KEY'));
  return {
    apiKey,
    baseURL: checkedBaseURL(own.baseURL ?? others.baseURL ?? fromEnvironment('SANDBOX_GATEWAY_BASE_URL')),
    timeoutMs: checkedCount(own.timeout ?? others.timeout ?? 10_000, 'timeout', 1),
    maxRetries: checkedCount(own.maxRetries ?? others.maxRetries ?? 2, 'maxRetries'),
    fetch: checkedFunction(own.fetch ?? others.fetch, 'fetch'),
    onRetry: checkedFunction(own.onRetry ?? others.onRetry, 'onRetry'),
    clean: cleanerFor(apiKey),
  };
}
