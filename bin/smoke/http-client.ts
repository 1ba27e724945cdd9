const REQUEST_TIMEOUT_MS = 10_000;
/** For the whole run: a service that hangs on every request must not hold it up for minutes. */
const RUN_TIMEOUT_MS = 60_000;

/** One request of a check. */
export interface SmokeRequest {
  readonly method: 'GET' | 'POST' | 'OPTIONS';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One response, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text read as JSON; undefined when it is none. */
  readonly body: unknown;
}

/** No response, or none to its end. The message says why in a few words. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/** Where requests are sent to. */
export interface HttpClient {
  readonly baseUrl: string;
  /** Throws {@link NoAnswerError}. Redirects are not followed: the key is for this server only. */
  send(request: SmokeRequest): Promise<Answer>;
  /** Whether the time for the whole run is used up. */
  isOutOfTime(): boolean;
}

/** A client of one server. Its time starts to run now. */
export function httpClient(baseUrl: string): HttpClient {
  const run = AbortSignal.timeout(RUN_TIMEOUT_MS);
  return {
    baseUrl,
    isOutOfTime: () => run.aborted,
    send: async ({ path, ...request }) => {
      const signal = AbortSignal.any([run, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
      try {
        const response = await fetch(baseUrl + path, { ...request, signal, redirect: 'manual' });
        const text = await response.text();
        return { status: response.status, headers: response.headers, text, body: parsedJson(text) };
      } catch (error) {
        throw new NoAnswerError(run.aborted ? `the ${RUN_TIMEOUT_MS / 1_000} s of a run are over` : reason(error), {
          cause: error,
        });
      }
    },
  };
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A failed fetch has what went wrong in its cause, most often as a code such as ECONNREFUSED. */
function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${REQUEST_TIMEOUT_MS / 1_000} s`;
  const { cause } = error;
  return cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : error.message;
}
