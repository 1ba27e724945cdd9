import type { ReceivedResponse } from '../../local/openapi/validation.ts';

const REQUEST_TIMEOUT_MS = 10_000;
/** For a whole run: a service that hangs on every request must not hold it up for minutes. */
const RUN_TIMEOUT_MS = 60_000;

/** One request of a check. */
export interface SmokeRequest {
  readonly method: 'GET' | 'POST' | 'OPTIONS';
  /** With its query, if it has one. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One response, read to its end, and what it answers. */
export interface Answer extends ReceivedResponse {
  readonly request: SmokeRequest;
}

/** No response, or none to its end. The message says why in a few words. */
export class NoAnswerError extends Error {}

/** A client of one server, for one run, whose time starts now. */
export function httpClient(baseUrl: string) {
  const run = AbortSignal.timeout(RUN_TIMEOUT_MS);
  return {
    /** Whether the time for the whole run is used up. */
    isOutOfTime: () => run.aborted,
    /** Throws {@link NoAnswerError}. Redirects are not followed: the key is for this server only. */
    send: async (request: SmokeRequest, key: string | undefined): Promise<Answer> => {
      const headers = { ...request.headers, ...(key !== undefined && { Authorization: `Bearer ${key}` }) };
      const signal = AbortSignal.any([run, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
      try {
        const response = await fetch(baseUrl + request.path, { ...request, headers, signal, redirect: 'manual' });
        const text = await response.text();
        const received = { status: response.status, headers: Object.fromEntries(response.headers), text };
        return { ...received, body: parsedJson(text), request };
      } catch (error) {
        const why = run.aborted ? `the ${RUN_TIMEOUT_MS / 1_000} s of a run are over` : reason(error);
        throw new NoAnswerError(why, { cause: error });
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
