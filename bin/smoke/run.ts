import { styleText } from 'node:util';
import { withoutApiKeys } from '../../functions/shared/credentials/credential-text.ts';
import type { ReceivedResponse } from '../../local/openapi/validation.ts';
import { escaped, json, plural } from '../cli/text.ts';

const REQUEST_TIMEOUT_MS = 10_000;
/** A service that hangs on every request must not delay a run for minutes. */
const RUN_TIMEOUT_MS = 60_000;
const COLOURS = { ok: 'green', note: 'yellow', fail: 'red', skip: 'dim' } as const;

/** A note is a documented peculiarity. */
export type Finding = Readonly<{ status: keyof typeof COLOURS; detail: string }>;
/** The path includes the query. */
export type SmokeRequest = Readonly<{ method?: string; path: string; headers?: Parts; body?: string; key?: string }>;
type Parts = Readonly<Record<string, string>>;
/** The status is 0 where no answer came. */
export type Answer = ReceivedResponse & { readonly request: SmokeRequest };
/** Values by their names: a text as it is, one of a pattern, or none. */
export type Expected = Readonly<Record<string, string | RegExp | undefined>>;

// Keys are removed first: half a key would not be found.
const shown = (text: string): string => withoutApiKeys(text).replace(/^([^]{120})[^]+/, '$1…');
export const deviation = (subject: string, expected: string | number | RegExp | undefined, actual: unknown): Error =>
  new Error(`${subject}: expected ${shown(`${expected ?? 'none'}`)}, got ${shown(json(actual ?? 'none'))}`);

/** Throws a deviation of one of these values. */
export function expectAll(given: Partial<Parts>, expected: Expected): void {
  for (const [name, wanted] of Object.entries(expected)) {
    const value = given[name] ?? given[name.toLowerCase()];
    if (wanted instanceof RegExp ? !wanted.test(value ?? '') : value !== wanted) throw deviation(name, wanted, value);
  }
}

/** Status and code of an answer, such as `404 NOT_FOUND`. */
export const outcomeOf = ({ status, body }: Answer): string =>
  `${status} ${/^[A-Z_]{1,40}$/.exec(String((Object(body) as { code?: unknown }).code))?.[0] ?? ''}`.trim();

/** Starts the checks of one server; `verify` throws what an answer should not be. */
export function startRun(url: string, verify: (answer: Answer) => void = () => undefined) {
  const end = AbortSignal.timeout(RUN_TIMEOUT_MS);
  const checks: (Finding & { readonly name: string })[] = [];
  const answers: Answer[] = [];

  // It follows no redirect: a key is for one server.
  const send = async (request: SmokeRequest): Promise<Answer> => {
    const { key, ...parts } = request;
    // Also without an answer, because the gateway may have counted it.
    const answer: Answer = { request, status: 0, headers: {}, text: '', body: undefined };
    answers.push(answer);
    const signal = AbortSignal.any([end, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]);
    const headers = { ...request.headers, ...(key && { Authorization: `Bearer ${key}` }) };
    const response = await fetch(url + request.path, { ...parts, headers, signal, redirect: 'manual' });
    const text = await response.text();
    const body: unknown = await new Response(text).json().catch(() => undefined);
    const received = Object.fromEntries(response.headers);
    // Parameters, such as a charset that an intermediary adds, do not count.
    if (received['content-type']) received['content-type'] = received['content-type'].replace(/ *;.*/, '');
    return Object.assign(answer, { status: response.status, headers: received, text, body });
  };

  /** All checks need the first, which throws an error of one line without an answer: nothing else gets the key. */
  const check = async (name: string, work: () => string | Finding | Promise<string | Finding>): Promise<void> => {
    const failed = ({ name: kind, message, cause }: Error & { cause?: NodeJS.ErrnoException }): Finding => {
      const reason = kind === 'TimeoutError' ? 'not in time' : cause && (cause.code ?? cause.message);
      if (reason && checks.length === 0) throw new Error(`The service cannot be reached (${reason}).`);
      return { status: 'fail', detail: reason ? `expected an answer, got none (${reason})` : message };
    };
    const isOther = checks[0]?.status === 'fail';
    const skipped = { status: 'skip', detail: 'needs the first' } as const;
    const found = isOther ? skipped : await new Promise<string | Finding>((done) => done(work())).catch(failed);
    checks.push({ name, ...(typeof found === 'string' ? { status: 'ok', detail: found } : found) });
  };
  const expectAnswer = (answer: Answer, outcome: string, headers: Expected = {}): string => {
    expectAll({ outcome: outcomeOf(answer) }, { outcome });
    verify(answer);
    expectAll(answer.headers, headers);
    return outcome;
  };
  const answered = (name: string, request: SmokeRequest, outcome: string, headers: Expected = {}) =>
    check(name, async () => expectAnswer(await send(request), outcome, headers));
  const report = (cost = { authenticatedRequests: 0, unitsCharged: 0 }) =>
    Object.assign({ ok: checks.every(({ status }) => status !== 'fail'), url, checks }, cost);
  return { answers, answered, check, expectAnswer, report, send };
}
export type Report = ReturnType<ReturnType<typeof startRun>['report']>;

/** The report for people, in colours on a terminal. */
export function reportText({ ok, url, checks, authenticatedRequests, unitsCharged }: Report): string {
  const rows = checks.map(({ name, status, detail }) => {
    const label = styleText(COLOURS[status], status === 'fail' ? 'FAIL' : status.padEnd(4));
    return `${label}  ${name.padEnd(20)}  ${escaped(detail)}\n`;
  });
  const many = (wanted: Finding['status']): number => checks.filter(({ status }) => status === wanted).length;
  const cost = `${plural(authenticatedRequests, 'authenticated request')} counted in the rate, ${plural(unitsCharged, 'unit')}`;
  const sums = `${many('ok')} ok, ${plural(many('note'), 'note')}, ${many('fail')} failed, ${many('skip')} skipped`;
  const verdict = styleText(ok ? 'green' : 'red', ok ? 'PASSED' : 'FAILED');
  return `Checking ${url}\n\n${rows.join('')}\nCost: ${cost} charged.\n${verdict}: ${sums}.\n`;
}
