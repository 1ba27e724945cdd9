import { outcomeOf, type Outcome, type PingResult } from './answer.ts';
import { SandboxGatewayError } from './errors.ts';
import { checkedBaseUrl, checkedCount, checkedIdempotencyKey, checkedKey, refuseBrowsers } from './input.ts';
import type { PingRequest, Simulation } from './types.ts';
import { VERSION } from './version.ts';
import { wait } from './wait.ts';

export interface SandboxGatewayOptions {
  /** A test key, from the environment of your server: `process.env.API_KEY`. */
  readonly apiKey: string | undefined;
  /** Address of the gateway, as the portal shows it: `https://…`; `http://` on this machine only. */
  readonly baseUrl: string | undefined;
  /** How long one attempt may take. Default: 10 s. The gateway answers within four. */
  readonly timeoutMs?: number | undefined;
  /** The number of attempts after the first. Default: 4. */
  readonly maxRetries?: number | undefined;
  /** How long one call may wait between its attempts, in all. Default: three minutes. */
  readonly maxWaitMs?: number | undefined;
  /** Told of each attempt that failed before it is repeated, and how long the call waits first. */
  readonly onRetry?: ((error: SandboxGatewayError, waitMs: number) => void) | undefined;
}

export interface CallOptions {
  /** Your own key, to repeat this call later as well: 1 to 255 visible ASCII characters. Default: a new one. */
  readonly idempotencyKey?: string | undefined;
  /** Ends the call; it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /**
   * So many first attempts ask for these failures, in this order; then the plain request is sent, under the same
   * Idempotency-Key. After `ANSWER_LOST` it stays as it is: it is executed, and the next attempt gets its answer.
   */
  readonly rehearse?: Readonly<Partial<Record<Simulation, number>>> | undefined;
}

/** Bound of the first random wait; it doubles with each attempt up to the last bound. */
const FIRST_JITTER_MS = 500;
const LAST_JITTER_MS = 8_000;

/** A client of the sandbox gateway, for servers. */
export class SandboxGateway {
  readonly baseUrl: string;
  readonly #apiKey: string;
  readonly #timeoutMs: number;
  readonly #maxRetries: number;
  readonly #maxWaitMs: number;
  readonly #onRetry: SandboxGatewayOptions['onRetry'];

  constructor(options: SandboxGatewayOptions) {
    refuseBrowsers();
    this.#apiKey = checkedKey(options.apiKey);
    this.baseUrl = checkedBaseUrl(options.baseUrl);
    this.#timeoutMs = checkedCount(options.timeoutMs ?? 10_000, 'timeoutMs', 1);
    this.#maxRetries = checkedCount(options.maxRetries ?? 4, 'maxRetries');
    this.#maxWaitMs = checkedCount(options.maxWaitMs ?? 180_000, 'maxWaitMs');
    this.#onRetry = options.onRetry;
  }

  /**
   * Sends a ping until it is answered for good. It is charged once, whatever became of its attempts: all have one
   * Idempotency-Key. Throws a {@link SandboxGatewayError}; a TypeError where an argument cannot be sent.
   */
  async ping(request: PingRequest = {}, options: CallOptions = {}): Promise<PingResult> {
    const { clientRequestId, simulate } = request;
    const { signal, rehearse = {} } = options;
    const idempotencyKey = checkedIdempotencyKey(options.idempotencyKey ?? crypto.randomUUID());
    if (simulate && Object.keys(rehearse).length > 0) throw new TypeError('Use simulate or rehearse, not both.');
    let waitedMs = 0;
    for (let attempt = 0; ; attempt++) {
      const body = { clientRequestId, simulate: simulate ?? simulationOf(rehearse, attempt) };
      const outcome = await this.#send(body, idempotencyKey, signal);
      if ('result' in outcome) return outcome.result;
      const { error, retryAfterMs, simulated } = outcome;
      const jitterMs = Math.random() * Math.min(FIRST_JITTER_MS * 2 ** attempt, LAST_JITTER_MS);
      const waitMs = retryAfterMs + jitterMs;
      waitedMs += waitMs;
      const isSameAgain = simulated && simulate !== undefined && simulate !== 'ANSWER_LOST';
      const isOver = attempt >= this.#maxRetries || waitedMs > this.#maxWaitMs;
      if (!error.retryable || isSameAgain || isOver) throw error;
      this.#onRetry?.(error, waitMs);
      await wait(waitMs, signal);
    }
  }

  async #send(body: object, idempotencyKey: string, signal: AbortSignal | undefined): Promise<Outcome> {
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    try {
      const response = await fetch(`${this.baseUrl}/api/v1/sandbox/ping`, {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${this.#apiKey}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': idempotencyKey,
          'User-Agent': `sandbox-gateway-typescript/${VERSION}`,
        },
        body: JSON.stringify(body),
        // A key goes to one address only.
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      const text = await response.text();
      return outcomeOf(response, text.replaceAll(this.#apiKey, '[API key]'));
    } catch (cause) {
      signal?.throwIfAborted();
      const [code, detail] = timeout.aborted
        ? (['TIMED_OUT', `No answer came within ${this.#timeoutMs} ms.`] as const)
        : (['CONNECTION_FAILED', `No whole answer came from ${this.baseUrl}.`] as const);
      const error = new SandboxGatewayError({ status: null, code, detail, requestId: null, retryable: true, cause });
      return { error, retryAfterMs: 0, simulated: false };
    }
  }
}

/** The failure that an attempt asks for. The first attempt is 0. Undefined: no failure. */
function simulationOf(rehearse: NonNullable<CallOptions['rehearse']>, attempt: number): Simulation | undefined {
  let left = attempt;
  for (const [code, times] of Object.entries(rehearse) as [Simulation, number][]) {
    if (times > 0 && (left < times || code === 'ANSWER_LOST')) return code;
    left -= times;
  }
  return undefined;
}
