import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { GatewayClient, PingRequest } from './client.ts';

export interface RetryOptions {
  readonly maxAttempts?: number;
  /** For one attempt. */
  readonly timeoutMs?: number;
  /** Bound of the first random delay; it doubles with each attempt. */
  readonly firstDelayMs?: number;
  /** Longest `Retry-After` to wait for. A minute's end is nearer; a used-up quota asks for days. */
  readonly maxWaitMs?: number;
}

/** Answers after which the same request can succeed. Any other 4xx would only come again, and a 500 is a defect. */
const RETRYABLE_STATUSES = [429, 503];
/** Without it an answer is not the gateway's: of a 5xx then nobody knows what became of the request. */
const REQUEST_ID = 'X-Service-Request-Id';
/** What `fetch` throws, by its standard, when the network fails and when the time is up. */
const NO_ANSWER = ['TypeError', 'TimeoutError'];

/**
 * Sends a ping until it is answered for good, and is charged for it once: every attempt has the same Idempotency-Key,
 * so that one whose answer was lost is replayed. Gives the last answer, a refusal included. Throws when the last attempt
 * had none.
 */
export async function pingSafely(client: GatewayClient, ping: PingRequest = {}, options: RetryOptions = {}) {
  const { maxAttempts = 5, timeoutMs = 10_000, firstDelayMs = 500, maxWaitMs = 180_000 } = options;
  const idempotencyKey = randomUUID();
  for (let attempt = 1; ; attempt++) {
    const isLast = attempt === maxAttempts;
    let retryAfterMs = 0;
    try {
      const answer = await send(client, ping, idempotencyKey, timeoutMs);
      if (isLast || !canSucceed(answer.response)) return answer;
      retryAfterMs = 1_000 * Number(answer.response.headers.get('Retry-After') ?? 0);
      if (retryAfterMs > maxWaitMs) return answer;
    } catch (error) {
      if (isLast || !NO_ANSWER.includes((error as Error).name)) throw error;
    }
    // Full jitter: clients that failed together do not come back together.
    await pause(retryAfterMs + Math.random() * firstDelayMs * 2 ** (attempt - 1));
  }
}

const canSucceed = ({ status, headers }: Response): boolean =>
  RETRYABLE_STATUSES.includes(status) || (status >= 500 && !headers.has(REQUEST_ID));

const send = (client: GatewayClient, body: PingRequest, idempotencyKey: string, timeoutMs: number) =>
  client.POST('/api/v1/sandbox/ping', {
    params: { header: { 'Idempotency-Key': idempotencyKey } },
    body,
    signal: AbortSignal.timeout(timeoutMs),
  });
