import { cleanHeaders, cut, type Clean } from './cleaning.ts';
import { errorOf, type SandboxGatewayError } from './errors.ts';
import { limitOf, retryAfterMsOf, type Limit } from './limits.ts';
import type { Ping } from './types.ts';

export interface PingResult {
  readonly data: Ping;
  readonly requestId: string;
  /** Yours, or the one that the call got: under it the same call is charged once. */
  readonly idempotencyKey: string;
  /** The stored answer of an earlier request under the same Idempotency-Key; this one cost nothing. */
  readonly replayed: boolean;
  /** Requests of this key in this minute; null where the answer did not tell. */
  readonly rateLimit: Limit | null;
  /** Request units of the project in this period; null where it has no quota, or the answer did not tell. */
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

/** Far more than any answer of the gateway. */
const MAX_BYTES = 1_000_000;

/** Reads an answer, as much of it as an answer of the gateway can be. */
export async function outcomeOf(
  response: Response,
  baseURL: string,
  clean: Clean,
  idempotencyKey: string,
): Promise<Outcome> {
  const { status, headers } = response;
  const text = await textOf(response);
  const members = jsonObject(text ?? '', clean);
  const limits = { rateLimit: limitOf(headers, 'X-RateLimit'), quota: limitOf(headers, 'X-Service-Quota') };
  const data = status >= 200 && status < 300 ? pingOf(members) : undefined;
  if (data) {
    const replayed = headers.get('X-Service-Idempotency-Replayed') === 'true';
    return { result: { data, requestId: data.requestId, idempotencyKey, replayed, ...limits } };
  }
  const { code, detail } = text === undefined ? TOO_LARGE : (problemOf(members, status) ?? unexpected(status));
  // The gateway has the path of a ping. The portal, among others, has not.
  const isElsewhere = code === UNEXPECTED ? status < 400 || status === 404 || status === 405 : code === 'NOT_FOUND';
  const hint = isElsewhere ? ` Is baseURL (${baseURL}) the gateway’s address, and not the portal’s?` : '';
  const requestId = clean(headers.get('X-Service-Request-Id') ?? '');
  const error = errorOf({
    status,
    code,
    detail: cut(detail, 500) + hint,
    requestId: cut(requestId, 128) || null,
    idempotencyKey,
    ...limits,
    headers: cleanHeaders(headers, clean),
    retryable: isRetryable(status, code),
  });
  const simulated = headers.get('X-Service-Simulated') === 'true';
  return { error, retryAfterMs: retryAfterMsOf(headers), simulated };
}

/** The failure of an attempt without an answer. */
export const unanswered = (
  code: 'CONNECTION_FAILED' | 'TIMED_OUT',
  detail: string,
  idempotencyKey: string,
): Failure => ({
  error: errorOf({
    status: null,
    code,
    detail,
    requestId: null,
    idempotencyKey,
    headers: null,
    rateLimit: null,
    quota: null,
    retryable: true,
  }),
  retryAfterMs: 0,
  simulated: false,
});

/** The decompressed text of an answer; undefined: it is too large. Then the rest of it is not received. */
async function textOf({ body }: Response): Promise<string | undefined> {
  if (body === null) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > MAX_BYTES) {
      reader.cancel().catch(() => undefined);
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** The members of the body, each text in it as it may be shown: an escape in it hides no key. */
function jsonObject(text: string, clean: Clean): Readonly<Record<string, unknown>> {
  try {
    const reviver = (_: string, value: unknown): unknown => (typeof value === 'string' ? clean(value) : value);
    return Object(JSON.parse(text, reviver)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

function pingOf({ ok, mode, message, requestId }: Readonly<Record<string, unknown>>): Ping | undefined {
  const isPing = ok === true && mode === 'sandbox' && typeof message === 'string' && typeof requestId === 'string';
  return isPing ? { ok, mode, message: message as Ping['message'], requestId } : undefined;
}

function problemOf({ code, detail }: Readonly<Record<string, unknown>>, status: number) {
  const isProblem = status >= 400 && typeof code === 'string' && typeof detail === 'string';
  return isProblem && /^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? { code, detail } : undefined;
}

const TOO_LARGE = { code: 'ANSWER_TOO_LARGE', detail: 'The answer is more than a megabyte: it is not read.' };
const UNEXPECTED = 'UNEXPECTED_ANSWER';

function unexpected(status: number): { readonly code: string; readonly detail: string } {
  const isRedirect = status >= 300 && status < 400;
  const detail = isRedirect ? 'This is a redirect, which is not followed.' : 'This answer is not the gateway’s.';
  return { code: UNEXPECTED, detail };
}

/**
 * A failure of the gateway, one before it, or a rate limit; one without a code is API Gateway's own. An answer of 200
 * that cannot be read is one that broke off.
 */
const isRetryable = (status: number, code: string): boolean =>
  status >= 500 ||
  (status === 429 && ['RATE_LIMIT_EXCEEDED', UNEXPECTED, TOO_LARGE.code].includes(code)) ||
  (status >= 200 && status < 300);
