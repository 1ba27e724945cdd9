import type { mismatches as Mismatches, ReceivedResponse } from '../../local/openapi/validation.ts';
import { Ending, outcomeOf, type Answer, type Caller } from './expectations.ts';

const REQUEST_TIMEOUT_MS = 10_000;
/** The timeout of a whole run: a service that hangs on every request must not delay it for minutes. */
const RUN_TIMEOUT_MS = 60_000;

/** The keys of a run. */
export type SmokeKeys = Readonly<Partial<Record<Caller, string | undefined>>>;
/** One request of a check; its path includes the query. */
export interface SmokeRequest {
  /** The key that it uses; absent: none. */
  readonly caller?: Caller;
  readonly method: 'GET' | 'POST' | 'OPTIONS';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
/** The outcome of one check. */
export interface CheckResult {
  readonly name: string;
  readonly status: 'ok' | Ending['status'];
  readonly detail: string;
}

/** Replaces a missing answer. */
const NO_ANSWER = { status: 0, headers: {}, text: '', body: undefined, mismatches: [] };

/** One run of checks against one server. */
export type Run = ReturnType<typeof startRun>;

/** Starts a run and its timeout. `mismatches` returns an answer's deviations from the contract. */
export function startRun(baseUrl: string, mismatches: typeof Mismatches, keys: SmokeKeys = {}) {
  const timeout = AbortSignal.timeout(RUN_TIMEOUT_MS);
  const results: CheckResult[] = [];
  const answers: Answer[] = [];
  let current = '';
  let keyRefusal: string | undefined;
  const hasPassed = (name: string) => results.some((one) => one.name === name && ['ok', 'note'].includes(one.status));

  /**
   * Runs a check, which returns its finding in a few words or throws an {@link Ending}. It is skipped when a check that
   * it depends on has not passed. All depend on the first, which recognises the service: a key is sent to nothing else.
   * Throws an error of one line when the first gets no answer.
   */
  const check = async (name: string, work: () => string | Promise<string>, ...needs: string[]): Promise<void> => {
    current = name;
    const missing = [...results.slice(0, 1).map((first) => first.name), ...needs].find((need) => !hasPassed(need));
    try {
      if (missing !== undefined) throw new Ending('skip', `needs "${missing}"`);
      results.push({ name, status: 'ok', detail: await work() });
    } catch (error) {
      if (!(error instanceof Ending)) throw error;
      results.push({ name, status: error.status, detail: error.message });
    }
  };

  /** Sends a request. Throws an {@link Ending} when there is no answer. */
  const send = async ({ caller, ...request }: SmokeRequest): Promise<Answer> => {
    if (caller === 'key' && keyRefusal !== undefined) throw new Ending('skip', keyRefusal);
    if (timeout.aborted) throw new Ending('fail', 'no time left');
    const key = caller && keys[caller];
    const headers = { ...request.headers, ...(key !== undefined && { Authorization: `Bearer ${key}` }) };
    // Also without an answer, because the gateway may have counted it.
    const answer: Answer = { ...NO_ANSWER, check: current, caller };
    answers.push(answer);
    const received = await ask({ ...request, headers });
    const [path = ''] = request.path.split('?', 1);
    Object.assign(answer, received, { mismatches: mismatches(request.method, path, received) });
    if (caller === 'key') keyRefusal = refusalOf(answer);
    if (caller === 'key' && keyRefusal !== undefined) throw new Ending('fail', keyRefusal);
    return answer;
  };

  /** Sends a request outside the contract: its answer is neither stored nor checked. Throws as {@link send}. */
  const ask = (request: Omit<SmokeRequest, 'caller'>): Promise<ReceivedResponse> =>
    receive(baseUrl, request, timeout).catch((error: unknown) => {
      if (results.length > 0) throw new Ending('fail', `expected an answer, got none (${reason(error)})`);
      throw new Error(`The service cannot be reached (${reason(error)}).`, { cause: error });
    });

  /** The answers to checks that have passed: the others are reported there. */
  const relied = (): Answer[] => answers.filter((answer) => hasPassed(answer.check));

  return { results, answers, check, send, ask, relied };
}

/** Reads an answer to its end. It follows no redirects: a key is for one server. */
async function receive(baseUrl: string, { path, ...request }: SmokeRequest, timeout: AbortSignal) {
  const signal = AbortSignal.any([timeout, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
  const response = await fetch(baseUrl + path, { ...request, signal, redirect: 'manual' });
  const text = await response.text();
  const body: unknown = await new Response(text).json().catch(() => undefined);
  // Parameters, such as a charset that an intermediary adds, are ignored.
  const mediaType = response.headers.get('content-type')?.split(';', 1)[0]?.trim();
  const headers = { ...Object.fromEntries(response.headers), ...(mediaType && { 'content-type': mediaType }) };
  return { status: response.status, headers, text, body } satisfies ReceivedResponse;
}

/** The cause of a failed fetch has the reason, usually a code such as ECONNREFUSED. */
function reason(error: unknown): string {
  const { name, cause = error } = error as Error;
  const { code, message } = cause as NodeJS.ErrnoException;
  return name === 'TimeoutError' ? 'not in time' : (code ?? message);
}

/** The reason why further requests with the same key are useless; undefined: none. */
function refusalOf(answer: Answer): string | undefined {
  const outcome = outcomeOf(answer);
  if (answer.status === 401 || answer.status === 403) return `the key is not accepted (${outcome})`;
  if (outcome === '429 RATE_LIMIT_EXCEEDED') {
    return `the key's rate limit is used up (${outcome}): wait a minute, or use a key with a higher limit`;
  }
  if (outcome === '429 KEY_QUOTA_EXCEEDED')
    return `the key's own limit of units is used up (${outcome}): use another key`;
  if (outcome !== '429 QUOTA_EXCEEDED') return undefined;
  return `the project's quota is used up (${outcome}): use the key of a project with units left`;
}
