import { SandboxGatewayError } from './errors.ts';
import type { Ping } from './types.ts';

/** How much of a limit is left, and when it starts again. */
export interface Limit {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAt: Date;
}

export interface PingResult {
  readonly data: Ping;
  readonly requestId: string;
  /** The stored answer of an earlier request under the same Idempotency-Key; this one cost nothing. */
  readonly replayed: boolean;
  /** Requests of this key in this minute; null where the answer did not tell. */
  readonly rateLimit: Limit | null;
  /** Request units of the project in this period; null where it has no quota. */
  readonly quota: Limit | null;
}

/** An attempt that failed. */
interface Failure {
  readonly error: SandboxGatewayError;
  /** What the gateway asked to wait; 0: it did not. */
  readonly retryAfterMs: number;
  /** It was asked for (`simulate`), so the same request meets it again. */
  readonly simulated: boolean;
}

/** What an attempt came to. */
export type Outcome = { readonly result: PingResult } | Failure;

const UNEXPECTED = { code: 'UNEXPECTED_ANSWER', detail: 'This answer is not the gateway’s.' } as const;

/** Reads a whole answer. Its text comes with the API key taken out, so that no echo of it gets into an error. */
export function outcomeOf({ status, headers }: Response, text: string): Outcome {
  const members = jsonObject(text);
  const requestId = headers.get('X-Service-Request-Id');
  if (status < 300 && members.ok === true && requestId !== null) {
    const result: PingResult = {
      data: members as unknown as Ping,
      requestId,
      replayed: headers.get('X-Service-Idempotency-Replayed') === 'true',
      rateLimit: limitOf(headers, 'X-RateLimit'),
      quota: limitOf(headers, 'X-Service-Quota'),
    };
    return { result };
  }
  const isProblem = status >= 400 && typeof members.code === 'string' && typeof members.detail === 'string';
  const { code, detail } = isProblem ? (members as { code: string; detail: string }) : UNEXPECTED;
  const retryAfter = /^\d+$/.exec(headers.get('Retry-After') ?? '')?.[0] ?? 0;
  return {
    error: new SandboxGatewayError({ status, code, detail, requestId, retryable: isRetryable(status, code) }),
    retryAfterMs: 1_000 * Number(retryAfter),
    simulated: headers.get('X-Service-Simulated') === 'true',
  };
}

/**
 * A failure of the gateway, one before it, or a rate limit; one without a code is API Gateway's own. An answer of 200
 * that cannot be read is one that broke off.
 */
const isRetryable = (status: number, code: string): boolean =>
  status >= 500 ||
  (status === 429 && ['RATE_LIMIT_EXCEEDED', UNEXPECTED.code].includes(code)) ||
  (status >= 200 && status < 300);

function jsonObject(text: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function limitOf(headers: Headers, prefix: string): Limit | null {
  const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map((part) => headers.get(`${prefix}-${part}`));
  if (!limit || !remaining || !reset) return null;
  return { limit: Number(limit), remaining: Number(remaining), resetsAt: new Date(1_000 * Number(reset)) };
}
