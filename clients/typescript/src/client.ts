import { outcomeOf, unanswered, type Outcome, type PingResult } from './answer.ts';
import {
  checkedHeaders,
  checkedIdempotencyKey,
  checkedRetries,
  checkedTimeout,
  checkMembers,
  refuseBrowsers,
  runtimeName,
} from './input.ts';
import { settingsOf, type SandboxGatewayOptions, type Settings } from './settings.ts';
import type { PingRequest } from './types.ts';
import { failureOf, isOfNetwork } from './network.ts';
import { VERSION } from './version.ts';
import { wait } from './wait.ts';

/** Options of one call. */
export interface CallOptions extends Pick<SandboxGatewayOptions, 'timeout' | 'maxRetries'> {
  /** Your own key, to repeat this call later as well: 1 to 255 visible ASCII characters. Default: a new one. */
  readonly idempotencyKey?: string | undefined;
  /** Ends the call; it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** More headers, as those of a trace; none that this library sets. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}
const CALL_MEMBERS = ['idempotencyKey', 'signal', 'timeout', 'maxRetries', 'headers'];

/** Bound of the first random wait; it doubles with each attempt up to the last bound. */
const FIRST_JITTER_MS = 500;
const LAST_JITTER_MS = 8_000;
/** Whoever asks for a longer wait is not waited for. */
const MAX_RETRY_AFTER_MS = 60_000;

/** A client of the sandbox gateway, for servers. */
export class SandboxGateway {
  readonly #settings: Settings;

  constructor(options: SandboxGatewayOptions = {}) {
    refuseBrowsers();
    this.#settings = settingsOf(options);
  }

  /** Address of the gateway. */
  get baseURL(): string {
    return this.#settings.baseURL;
  }

  /**
   * Sends a ping until it is answered for good. It is charged once, whatever became of its attempts: all have one
   * Idempotency-Key. Throws a {@link SandboxGatewayError}; a TypeError where an argument cannot be sent.
   */
  async ping(request: PingRequest = {}, options: CallOptions = {}): Promise<PingResult> {
    checkMembers(request, ['clientRequestId', 'simulate'], 'The first argument of ping');
    checkMembers(options, CALL_MEMBERS, 'The second argument of ping');
    const { clientRequestId, simulate } = request;
    const { idempotencyKey = crypto.randomUUID(), signal, headers = {} } = options;
    const { timeout = this.#settings.timeoutMs, maxRetries = this.#settings.maxRetries } = options;
    const settings = { ...this.#settings, timeoutMs: checkedTimeout(timeout), maxRetries: checkedRetries(maxRetries) };
    const own = {
      ...checkedHeaders(headers, settings.clean),
      'Idempotency-Key': checkedIdempotencyKey(idempotencyKey, settings.clean),
    };
    const body = JSON.stringify({ clientRequestId, simulate });
    for (let attempt = 0; ; attempt++) {
      const outcome = await send(settings, body, own, signal);
      if ('result' in outcome) return outcome.result;
      const { error, retryAfterMs, simulated } = outcome;
      const isSameAgain = simulated && simulate !== undefined && simulate !== 'ANSWER_LOST';
      const isOver = attempt >= settings.maxRetries || retryAfterMs > MAX_RETRY_AFTER_MS;
      if (!error.retryable || isSameAgain || isOver) throw error;
      const waitMs = retryAfterMs + Math.random() * Math.min(FIRST_JITTER_MS * 2 ** attempt, LAST_JITTER_MS);
      settings.onRetry?.(error, waitMs);
      await wait(waitMs, signal);
    }
  }
}

/**
 * Makes one attempt. Nothing of a failure of the network is handed on but its class and a short code: it may hold the
 * key. Anything else that a fetch throws is an error of the program, and comes through as it is.
 */
async function send(
  { apiKey, baseURL, timeoutMs, fetch = globalThis.fetch, clean }: Settings,
  body: string,
  own: Readonly<Record<'Idempotency-Key', string>>,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  signal?.throwIfAborted();
  const { 'Idempotency-Key': idempotencyKey } = own;
  const end = new AbortController();
  const abort = (): void => end.abort();
  const timer = setTimeout(abort, timeoutMs);
  signal?.addEventListener('abort', abort);
  const attempt = async (): Promise<Outcome> => {
    const response: unknown = await fetch(`${baseURL}/api/v1/sandbox/ping`, {
      method: 'POST',
      headers: {
        ...own,
        Authorization: `Bearer ${apiKey}`,
        'Content-Type': 'application/json',
        'User-Agent': `sandbox-gateway-typescript/${VERSION} ${runtimeName()}`,
      },
      body,
      // A key goes to one address only.
      redirect: 'manual',
      signal: end.signal,
    });
    if (!isResponse(response)) throw new TypeError('fetch must give a Response of the Fetch API.');
    return outcomeOf(response, baseURL, clean, idempotencyKey);
  };
  // A fetch of the caller's own may not heed the signal.
  const ended = new Promise<never>((_, reject) => end.signal.addEventListener('abort', reject));
  try {
    return await Promise.race([attempt(), ended]);
  } catch (error) {
    signal?.throwIfAborted();
    if (end.signal.aborted) {
      return unanswered('TIMED_OUT', `No whole answer came within ${timeoutMs} ms.`, idempotencyKey);
    }
    if (!isOfNetwork(error, fetch)) throw error;
    return unanswered('CONNECTION_FAILED', failureOf(error, baseURL), idempotencyKey);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** Also of another realm, or of a library. */
const isResponse = (value: unknown): value is Response =>
  typeof (Object(value) as Partial<Response>).headers?.get === 'function';
