import { codeOf, Deviation, Skipped } from './expectations.ts';
import { httpClient, NoAnswerError, type Answer, type SmokeRequest } from './http-client.ts';

/** Whose key a request carries. */
export type Caller = 'nobody' | 'key' | 'exhaustedKey';
/** What a check found as it should be, in a few words, or a note on a documented peculiarity. */
export type Finding = string | { readonly note: string };

/** The outcome of one check. */
export interface CheckResult {
  readonly name: string;
  readonly status: 'ok' | 'note' | 'fail' | 'skip';
  readonly detail: string;
}
/** A request that a check sent, and what came of it; `units`: what the contract charges for it. */
export interface Exchange {
  readonly check: string;
  readonly caller: Caller;
  readonly units: number;
  readonly answer: Answer | undefined;
}
export type Answered = Exchange & { readonly answer: Answer };

/** One run of checks against one server. */
export type Run = ReturnType<typeof startRun>;

/** Starts a run; its time starts now. */
export function startRun(baseUrl: string, keys: Readonly<Partial<Record<Caller, string | undefined>>>) {
  const client = httpClient(baseUrl);
  const results: CheckResult[] = [];
  const exchanges: Exchange[] = [];
  let current = '';
  let keyRefusal: string | undefined;
  // Set only by a request that went unanswered, whose check fails: skipped checks alone would let the run pass.
  let isOver = false;
  const hasPassed = (name: string): boolean =>
    results.some((result) => result.name === name && (result.status === 'ok' || result.status === 'note'));

  const outcomeOf = async (work: () => Finding | Promise<Finding>): Promise<Omit<CheckResult, 'name'>> => {
    try {
      const finding = await work();
      return typeof finding === 'string' ? { status: 'ok', detail: finding } : { status: 'note', detail: finding.note };
    } catch (error) {
      if (error instanceof Skipped) return { status: 'skip', detail: error.message };
      if (error instanceof Deviation) return { status: 'fail', detail: error.message };
      if (!(error instanceof NoAnswerError)) throw error;
      if (results.length > 0) return { status: 'fail', detail: `expected an answer, got none (${error.message})` };
      throw new Error(`The service cannot be reached (${error.message}).`, { cause: error });
    }
  };

  return {
    results,
    exchanges,
    /** The answers to requests of checks that have passed: what is wrong with another was told there. */
    relied: () => exchanges.filter((sent): sent is Answered => sent.answer !== undefined && hasPassed(sent.check)),
    /**
     * Makes a check, unless one that it needs has not passed. All need the first, which tells the gateway from anything
     * else: the key is sent to nothing else. Throws an error of one line when nobody answers the first.
     */
    check: async (name: string, work: () => Finding | Promise<Finding>, ...needs: string[]): Promise<void> => {
      current = name;
      const missing = [...results.slice(0, 1).map((first) => first.name), ...needs].find((need) => !hasPassed(need));
      const skipped = { status: 'skip', detail: `needs "${missing}"` } as const;
      results.push({ name, ...(missing === undefined ? await outcomeOf(work) : skipped) });
    },
    /** Sends a request. Throws {@link Deviation} when the key or its limits are what stops it. */
    send: async (request: SmokeRequest, caller: Caller = 'nobody', units = 0): Promise<Answer> => {
      if (caller === 'key' && keyRefusal !== undefined) throw new Skipped(keyRefusal);
      if (isOver) throw new Skipped('no time left');
      let answer: Answer | undefined;
      try {
        answer = await client.send(request, keys[caller]);
      } finally {
        // Also without an answer: the gateway may have counted it all the same.
        exchanges.push({ check: current, caller, units, answer });
        isOver = answer === undefined && client.isOutOfTime();
      }
      if (caller === 'key') keyRefusal = refusalOf(answer);
      if (caller === 'key' && keyRefusal !== undefined) throw new Deviation(keyRefusal);
      return answer;
    },
  };
}

/** What makes every further request with the same key pointless; undefined: nothing. */
function refusalOf(answer: Answer): string | undefined {
  const code = codeOf(answer) ?? '';
  const isRefused = answer.status === 401 || answer.status === 403;
  return isRefused ? `the key is not accepted (${`${answer.status} ${code}`.trim()})` : USED_UP[code];
}

const USED_UP: Readonly<Record<string, string>> = {
  RATE_LIMIT_EXCEEDED:
    "the key's rate limit is used up (429 RATE_LIMIT_EXCEEDED): wait a minute, or use a key with a higher limit",
  QUOTA_EXCEEDED: "the project's quota is used up (429 QUOTA_EXCEEDED): use the key of a project with units left",
};
