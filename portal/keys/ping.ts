/** The operation of the gateway that proves a key. */
export const PING_PATH = '/api/v1/sandbox/ping';

/** The headers that are shown first, in this order. The other readable headers follow. */
const FIRST_HEADERS = [
  'X-Service-Idempotency-Replayed',
  'X-Service-Simulated',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Service-Quota-Limit',
  'X-Service-Quota-Remaining',
  'X-Service-Quota-Reset',
  'X-Service-Quota-Metric',
  'X-Service-Request-Id',
  'Retry-After',
];

/** Longer than the gateway's own deadline, 4 s. */
const PATIENCE_MS = 8_000;

/** The request, without the key. */
export interface Ping {
  readonly body: string;
  /** Empty: none. */
  readonly idempotencyKey: string;
}
const EMPTY: Ping = { body: '{}', idempotencyKey: '' };

/** The gateway's answer. */
export interface PingAnswer {
  readonly status: number;
  readonly isSuccess: boolean;
  /** From sending to the whole answer, measured by this browser. */
  readonly latencyMs: number;
  readonly body: string;
  /** Code of the refusal. */
  readonly code: string | undefined;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/**
 * Sends a ping; by default an empty one. The key goes into the `Authorization` header and nowhere else. Throws without
 * an answer.
 */
export async function sendPing(gatewayUrl: string, apiKey: string, sent = EMPTY): Promise<PingAnswer> {
  const startedAt = performance.now();
  const response = await fetch(gatewayUrl + PING_PATH, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${apiKey}`,
      'Content-Type': 'application/json',
      ...(sent.idempotencyKey !== '' && { 'Idempotency-Key': sent.idempotencyKey }),
    },
    body: sent.body,
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const body = await response.text();
  return {
    status: response.status,
    isSuccess: response.ok,
    latencyMs: performance.now() - startedAt,
    body,
    code: response.ok ? undefined : codeOf(body),
    headers: inOrder(response.headers),
  };
}

function inOrder(headers: Headers): PingAnswer['headers'] {
  const first = FIRST_HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const shown = new Set(first.map(([name]) => name.toLowerCase()));
  return [...first, ...[...headers].filter(([name]) => !shown.has(name))];
}

function codeOf(body: string): string | undefined {
  try {
    const { code } = JSON.parse(body) as { code?: unknown };
    return typeof code === 'string' ? code : undefined;
  } catch {
    return undefined;
  }
}
