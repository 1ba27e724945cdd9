import { Deviation, Skipped, type Check, type CheckContext, type Exchange } from './check.ts';
import { codeOf } from './expectations.ts';
import type { Answer, HttpClient, SmokeRequest } from './http-client.ts';
import type { SmokeKeys } from './keys.ts';

/** One run against one server. */
export interface Session {
  /** Every exchange so far, in order. */
  readonly exchanges: readonly Exchange[];
  /** What a check works with. `passed` holds those that have passed before it. */
  contextFor(check: Check, passed: ReadonlySet<Check>): CheckContext;
}

/** A session in which nothing was sent yet. */
export function startSession(client: HttpClient, { key, exhaustedKey }: SmokeKeys): Session {
  const exchanges: Exchange[] = [];
  let keyRefusal: string | undefined;
  // Set only by a request that went unanswered, whose check fails: skipped checks alone would let the run pass.
  let isOver = false;

  const exchange = async (request: SmokeRequest, sent: Omit<Exchange, 'answer'>, bearer?: string): Promise<Answer> => {
    if (isOver) throw new Skipped('no time left');
    const authorization = bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` };
    let answer: Answer | undefined;
    try {
      answer = await client.send({ ...request, headers: { ...request.headers, ...authorization } });
      return answer;
    } finally {
      // Also without an answer: the gateway may have counted it all the same.
      exchanges.push({ ...sent, answer });
      isOver = answer === undefined && client.isOutOfTime();
    }
  };

  return {
    exchanges,
    contextFor: (check, passed) => ({
      exchanges,
      hasPassed: (other) => passed.has(other),
      answerTo: (other) => {
        const answer = exchanges.find((earlier) => earlier.check === other)?.answer;
        if (answer === undefined) throw new Error(`"${check.name}" does not need "${other.name}"`);
        return answer;
      },
      send: (request) => exchange(request, { check, caller: 'nobody', units: 0 }),
      sendWithKey: async (request, units = 0) => {
        if (keyRefusal !== undefined) throw new Skipped(keyRefusal);
        const answer = await exchange(request, { check, caller: 'key', units }, key);
        keyRefusal = refusalOf(answer);
        if (keyRefusal !== undefined) throw new Deviation(keyRefusal);
        return answer;
      },
      sendWithExhaustedKey: (request) => exchange(request, { check, caller: 'exhaustedKey', units: 0 }, exhaustedKey),
    }),
  };
}

/** What makes every further request with the same key pointless; undefined: nothing. */
function refusalOf(answer: Answer): string | undefined {
  const code = codeOf(answer);
  if (code === 'RATE_LIMIT_EXCEEDED') {
    return "the key's rate limit is used up (429 RATE_LIMIT_EXCEEDED): wait a minute, or use a key with a higher limit";
  }
  if (code === 'QUOTA_EXCEEDED') {
    return "the project's quota is used up (429 QUOTA_EXCEEDED): use the key of a project with units left";
  }
  if (answer.status !== 401 && answer.status !== 403) return undefined;
  return `the key is not accepted (${answer.status}${code === undefined ? '' : ` ${code}`})`;
}
