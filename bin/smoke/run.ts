import type { SmokeKeys } from './arguments.ts';
import {
  Deviation,
  Skipped,
  type Answered,
  type Caller,
  type Check,
  type CheckResult,
  type Exchange,
} from './check.ts';
import { checksOf } from './checks.ts';
import { codeOf } from './expectations.ts';
import { httpClient, NoAnswerError, type Answer, type SmokeRequest } from './http-client.ts';
import { smokeReport, type SmokeReport } from './report.ts';

/** What to check, and with what. */
export interface SmokeTarget extends SmokeKeys {
  readonly baseUrl: string;
  /** A browser origin that must be allowed. */
  readonly origin: string | undefined;
}

/**
 * Makes one check after another. The first tells whether the gateway is there at all: without it no other is made, so
 * that the key is not sent to something else. Throws an error of one line when nobody answers the first.
 */
export async function runSmoke({ baseUrl, origin, key, exhaustedKey }: SmokeTarget): Promise<SmokeReport> {
  const client = httpClient(baseUrl);
  const keys: Readonly<Record<Caller, string | undefined>> = { nobody: undefined, key, exhaustedKey };
  const exchanges: Exchange[] = [];
  const passed = new Set<Check>();
  let keyRefusal: string | undefined;
  // Set only by a request that went unanswered, whose check fails: skipped checks alone would let the run pass.
  let isOver = false;

  const send = async (check: Check, request: SmokeRequest, caller: Caller): Promise<Answer> => {
    if (caller === 'key' && keyRefusal !== undefined) throw new Skipped(keyRefusal);
    if (isOver) throw new Skipped('no time left');
    let answer: Answer | undefined;
    try {
      answer = await client.send(request, keys[caller]);
    } finally {
      // Also without an answer: the gateway may have counted it all the same.
      exchanges.push({ check, caller, answer });
      isOver = answer === undefined && client.isOutOfTime();
    }
    if (caller === 'key') keyRefusal = refusalOf(answer);
    if (caller === 'key' && keyRefusal !== undefined) throw new Deviation(keyRefusal);
    return answer;
  };

  const attempt = async (check: Check): Promise<Omit<CheckResult, 'name'>> => {
    const missing = [first, ...(check.needs ?? [])].find((needed) => needed !== check && !passed.has(needed));
    if (missing) return { status: 'skip', detail: `needs "${missing.name}"` };
    try {
      const finding = await check.run({
        send: (request, caller) => send(check, request, caller),
        exchanges,
        relied: () => exchanges.filter((sent): sent is Answered => sent.answer !== undefined && passed.has(sent.check)),
      });
      passed.add(check);
      return typeof finding === 'string' ? { status: 'ok', detail: finding } : { status: 'note', detail: finding.note };
    } catch (error) {
      if (error instanceof Skipped) return { status: 'skip', detail: error.message };
      if (error instanceof Deviation) return { status: 'fail', detail: error.message };
      if (!(error instanceof NoAnswerError)) throw error;
      if (check === first) throw new Error(`The service cannot be reached (${error.message}).`, { cause: error });
      return { status: 'fail', detail: `expected an answer, got none (${error.message})` };
    }
  };

  const checks = checksOf(origin, exhaustedKey !== undefined);
  const [first] = checks;
  const results: CheckResult[] = [];
  for (const check of checks) results.push({ name: check.name, ...(await attempt(check)) });
  return smokeReport(baseUrl, results, exchanges);
}

/** What makes every further request with the same key pointless; undefined: nothing. */
function refusalOf(answer: Answer): string | undefined {
  const code = codeOf(answer) ?? '';
  return answer.status === 401 || answer.status === 403
    ? `the key is not accepted (${`${answer.status} ${code}`.trim()})`
    : USED_UP[code];
}

const USED_UP: Readonly<Record<string, string>> = {
  RATE_LIMIT_EXCEEDED:
    "the key's rate limit is used up (429 RATE_LIMIT_EXCEEDED): wait a minute, or use a key with a higher limit",
  QUOTA_EXCEEDED: "the project's quota is used up (429 QUOTA_EXCEEDED): use the key of a project with units left",
};
