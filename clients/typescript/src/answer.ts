import { cleanHeaders, cut, type Clean } from './cleaning.ts';
import { errorOf, UNEXPECTED, type SandboxGatewayError } from './errors.ts';
import { limitOf, retryAfterMsOf, type Limit } from './limits.ts';
import type { Settings } from './settings.ts';

/** What an API does, as data: how it is asked, and what its answer must have. */
export interface Operation<Data> {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Below the base URL. */
  readonly path: string;
  /** Members that a request may have: of its body, or of its query where it is a GET. */
  readonly body: readonly string[];
  /** Members that an answer has: a value, or the constructor of one, as `String`. */
  readonly answer: { readonly [Name in keyof Data]?: unknown };
}

/** The answer of an operation. */
export interface Success<Data> {
  readonly data: Data;
  readonly idempotencyKey: string;
  readonly replayed: boolean;
  readonly rateLimit: Limit | null;
  readonly quota: Limit | null;
  readonly status: number;
  /** As they came. */
  readonly headers: Headers;
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
export type Outcome<Data> = Success<Data> | Failure;

/** Far more than any answer of the gateway. */
const MAX_BYTES = 1_000_000;

/** Reads an answer, as much of it as an answer of the gateway can be. */
export async function outcomeOf<Data>(
  response: Response,
  operation: Operation<Data>,
  { clean, cleanData, hintOf, refusesEncoded }: Settings,
  idempotencyKey: string,
): Promise<Outcome<Data>> {
  const { status } = response;
  const isOk = status >= 200 && status < 300;
  const read = refusesEncoded && isEncoded(response) ? ENCODED : await textOf(response);
  const members = typeof read === 'string' ? jsonObject(read, isOk ? cleanData : clean) : {};
  const { headers: sent } = response;
  const limits = { rateLimit: limitOf(sent, 'X-RateLimit'), quota: limitOf(sent, 'X-Service-Quota') };
  if (isOk && isAnswer(operation, members)) {
    const replayed = sent.get('X-Service-Idempotency-Replayed') === 'true';
    return { data: members, idempotencyKey, replayed, ...limits, status, headers: sent };
  }
  const headers = cleanHeaders(sent, clean);
  const { code, detail } = typeof read === 'string' ? (problemOf(members, status) ?? unexpected(status)) : read;
  const error = errorOf({
    status,
    code,
    detail: cut(detail, 500) + hintOf(status, code),
    requestId: cut(headers.get('X-Service-Request-Id') ?? '', 128) || null,
    idempotencyKey,
    ...limits,
    headers,
    retryable: isRetryable(status, code, headers.get('X-Should-Retry')),
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

/** Whether it was compressed, though the request forbids that. Then nothing of it is received. */
function isEncoded({ headers, body }: Response): boolean {
  if (/^(identity)?$/i.test(headers.get('Content-Encoding') ?? '')) return false;
  body?.cancel().catch(() => undefined);
  return true;
}

/** The text of an answer, as far as the runtime decompressed it. Of one that is too large the rest is not received. */
async function textOf({ body }: Response): Promise<string | typeof TOO_LARGE> {
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
      return TOO_LARGE;
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

const isAnswer = <Data>({ answer }: Operation<Data>, members: unknown): members is Data =>
  Object.entries(answer).every(([name, expected]) => {
    const value = (members as Readonly<Record<string, unknown>>)[name];
    return value === expected || value?.constructor === expected;
  });

function problemOf({ code, detail }: Readonly<Record<string, unknown>>, status: number) {
  const isProblem = status >= 400 && typeof code === 'string' && typeof detail === 'string';
  return isProblem && /^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? { code, detail } : undefined;
}

const TOO_LARGE = { code: 'ANSWER_TOO_LARGE', detail: 'The answer is more than a megabyte: it is not read.' };
const ENCODED = { code: UNEXPECTED, detail: 'The answer is compressed, which nobody asked for: it is not read.' };

function unexpected(status: number): { readonly code: string; readonly detail: string } {
  const isRedirect = status === 0 || (status >= 300 && status < 400);
  const detail = isRedirect ? 'This is a redirect, which is not followed.' : 'This answer is not the gateway’s.';
  return { code: UNEXPECTED, detail };
}

/**
 * As the answer says. Where it does not: a failure of the gateway, one before it, a request that came too slowly, or a
 * rate limit; one without a code is API Gateway's own. An answer of 200 that cannot be read is one that broke off.
 */
function isRetryable(status: number, code: string, told: string | null): boolean {
  if (told === 'true' || told === 'false') return told === 'true';
  const isLimit = status === 429 && ['RATE_LIMIT_EXCEEDED', UNEXPECTED, TOO_LARGE.code].includes(code);
  return status >= 500 || status === 408 || isLimit || (status >= 200 && status < 300);
}
