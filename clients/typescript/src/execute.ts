import { outcomeOf, unanswered, type Operation, type Outcome, type Success } from './answer.ts';
import { cleanHeaders } from './cleaning.ts';
import {
  checkedHeaders,
  checkedId,
  checkedIdempotencyKey,
  checkedRetries,
  checkedTimeout,
  checkMembers,
} from './input.ts';
import { failureOf, isOfNetwork } from './network.ts';
import type { ClientOptions, Settings } from './settings.ts';
import { onAbort, wait } from './wait.ts';

export type { Operation } from './answer.ts';

/** Options of one call. */
export interface CallOptions extends Pick<ClientOptions, 'timeout' | 'maxRetries' | 'headers'> {
  /** Your own key, to repeat this call later as well: 1 to 255 visible ASCII characters. Default: a new one. */
  readonly idempotencyKey?: string | undefined;
  /** Ends the call; it then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}
const CALL_MEMBERS = ['idempotencyKey', 'signal', 'timeout', 'maxRetries', 'headers'];

/** A result with what HTTP said. */
export interface WithResponse<Result> {
  /** What the call itself gives. */
  readonly result: Result;
  /** HTTP status of the answer. */
  readonly status: number;
  /** Headers of the answer. */
  readonly headers: Headers;
}

/** A call that is under way. */
export interface Call<Result> extends Promise<Result> {
  /** The result, with status and headers of the answer. */
  withResponse(): Promise<WithResponse<Result>>;
}

/** What stands in braces in the path of an operation. */
type Ids = Readonly<Record<string, string>>;

/** Bound of the first random wait; it doubles with each attempt up to the last bound. */
const FIRST_JITTER_MS = 500;
const LAST_JITTER_MS = 8_000;
/** Whoever asks for a longer wait is not waited for. */
const MAX_RETRY_AFTER_MS = 60_000;

/** Executes an operation; `resultOf` makes of the answer what the caller gets. */
export function execute<Data, Result>(
  settings: Settings,
  operation: Operation<Data>,
  request: object,
  options: CallOptions,
  resultOf: (success: Success<Data>) => Result,
  ids: Ids = {},
): Call<Result> {
  const success = repeated(settings, operation, request, options, ids);
  const result = success.then(resultOf);
  return Object.assign(result, {
    // Of `result`, so that this promise is the only one that can be left without a handler.
    withResponse: async () => {
      const told = { result: await result };
      const { status, headers } = await success;
      return { ...told, status, headers: cleanHeaders(headers, settings.clean) };
    },
  });
}

/** Makes attempts until one is answered for good. All have one Idempotency-Key. */
async function repeated<Data>(
  { ...settings }: Settings,
  operation: Operation<Data>,
  request: object,
  options: CallOptions,
  ids: Ids,
): Promise<Success<Data>> {
  checkMembers(request, operation.body, 'The request');
  checkMembers(options, CALL_MEMBERS, 'The last argument');
  const { idempotencyKey = crypto.randomUUID(), signal, headers = {} } = options;

  const { timeout: timeoutMs = settings.timeoutMs, maxRetries = settings.maxRetries } = options;
  const attempt: Attempt<Data> = {
    ...{ operation, signal, timeoutMs: checkedTimeout(timeoutMs) },
    idempotencyKey: checkedIdempotencyKey(idempotencyKey, settings.clean),
    headers: merged(settings.headers, checkedHeaders(headers, settings.clean)),
    ...sentAs(operation, request, ids),
  };
  const retries = checkedRetries(maxRetries);
  const { simulate } = request as { readonly simulate?: unknown };
  for (let number = 0; ; number++) {
    const startedAt = performance.now();
    const outcome = await send(settings, attempt);
    const told = 'error' in outcome ? outcome.error.message : `status ${outcome.status}`;
    const after = `attempt ${number + 1} after ${Math.round(performance.now() - startedAt)} ms: ${told}`;
    settings.log(`${operation.method} ${attempt.path}, Idempotency-Key ${attempt.idempotencyKey}, ${after}`);
    if (!('error' in outcome)) return outcome;
    const { error, retryAfterMs, simulated } = outcome;
    const isSameAgain = simulated && simulate !== undefined && simulate !== 'ANSWER_LOST';
    const isOver = number >= retries || retryAfterMs > MAX_RETRY_AFTER_MS;
    if (!error.retryable || isSameAgain || isOver) throw error;
    const waitMs = retryAfterMs + Math.random() * Math.min(FIRST_JITTER_MS * 2 ** number, LAST_JITTER_MS);
    // Nobody waits for its end; its failure ends nothing.
    const heard = new Promise((resolve) => resolve(settings.onRetry?.(error, waitMs)));
    heard.catch(() => settings.log('onRetry failed.'));
    await wait(waitMs, signal);
  }
}

interface Attempt<Data> {
  readonly operation: Operation<Data>;
  /** Of the address, with the query. */
  readonly path: string;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly idempotencyKey: string;
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
}

/** The members of a request: of its body, or of the query of what is only read. */
function sentAs({ method, path: pattern }: Operation<unknown>, request: object, ids: Ids) {
  const path = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => checkedId(ids[name], name));
  if (method !== 'GET') return { path, body: JSON.stringify({ ...request }) };
  const given = Object.entries(request).filter(([, value]) => value !== undefined);
  const query = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return { path: query ? `${path}?${query}` : path, body: undefined };
}

/** The headers of the call replace those of the client. */
function merged(of: Attempt<unknown>['headers'], by: Attempt<unknown>['headers']): Attempt<unknown>['headers'] {
  const names = Object.keys(by).map((name) => name.toLowerCase());
  return { ...Object.fromEntries(Object.entries(of).filter(([name]) => !names.includes(name.toLowerCase()))), ...by };
}

/**
 * Makes one attempt. Nothing of a failure of the network is handed on but its class and a short code: it may hold the
 * key. Anything else that a fetch throws is an error of the program, and comes through as it is.
 */
async function send<Data>(settings: Settings, attempt: Attempt<Data>): Promise<Outcome<Data>> {
  const { baseURL, connections, fetch = globalThis.fetch } = settings;
  const { operation, body, idempotencyKey, signal, timeoutMs } = attempt;
  signal?.throwIfAborted();
  const end = new AbortController();
  const abort = (): void => end.abort();
  const timer = setTimeout(abort, timeoutMs);
  const leave = onAbort(signal, abort);
  let late = `It was not sent: all ${connections.most} connections were in use for ${timeoutMs} ms (maxConnections).`;
  const request = async (): Promise<Outcome<Data>> => {
    const response: unknown = await fetch(baseURL + attempt.path, {
      method: operation.method,
      headers: {
        ...attempt.headers,
        ...settings.ownHeaders,
        'Idempotency-Key': idempotencyKey,
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
      // A key goes to one address only.
      redirect: 'manual',
      signal: end.signal,
    });
    if (!isResponse(response)) throw new TypeError('fetch must give a Response of the Fetch API.');
    return outcomeOf(response, operation, settings, idempotencyKey);
  };
  // A fetch of the caller's own may not heed the signal.
  const ended = new Promise<never>((_, reject) => end.signal.addEventListener('abort', reject));
  ended.catch(() => undefined);
  try {
    return await connections.use(end.signal, () => {
      late = `No whole answer came within ${timeoutMs} ms.`;
      return Promise.race([request(), ended]);
    });
  } catch (error) {
    signal?.throwIfAborted();
    if (end.signal.aborted) return unanswered('TIMED_OUT', late, idempotencyKey);
    if (!isOfNetwork(error, fetch)) throw error;
    return unanswered('CONNECTION_FAILED', failureOf(error, baseURL), idempotencyKey);
  } finally {
    clearTimeout(timer);
    leave();
  }
}

/** Also of another realm, or of a library. */
const isResponse = (value: unknown): value is Response =>
  typeof (Object(value) as Partial<Response>).headers?.get === 'function';
