import type { Answer, SmokeRequest } from './http-client.ts';

/** One check. */
export interface Check {
  readonly name: string;
  /** Checks without whose success this one says nothing. */
  readonly needs?: readonly Check[];
  /** Throws {@link Deviation} when the service deviates, {@link Skipped} when that cannot be told. */
  readonly run: (context: CheckContext) => Finding | Promise<Finding>;
}

/** What a check found as it should be, in a few words, or a note on a documented peculiarity. */
type Finding = string | { readonly note: string };

/** What a check may do: send requests, and look at those that were sent before. */
export interface CheckContext {
  readonly send: (request: SmokeRequest) => Promise<Answer>;
  /** Sends a request with the key. Throws {@link Deviation} when the key or its limits are what stops it. */
  readonly sendWithKey: (request: SmokeRequest, units?: Exchange['units']) => Promise<Answer>;
  /** Sends a request with the key whose quota is used up. */
  readonly sendWithExhaustedKey: (request: SmokeRequest) => Promise<Answer>;
  /** Every exchange of the run so far, in order. */
  readonly exchanges: readonly Exchange[];
  /** Whether a check has passed, so that its answers can be relied upon. */
  readonly hasPassed: (check: Check) => boolean;
  /** The answer to the one request of a check that this one needs. */
  readonly answerTo: (check: Check) => Answer;
}

/** A request that was sent, and what came of it. */
export interface Exchange {
  readonly check: Check;
  /** Whose key it carried. */
  readonly caller: 'nobody' | 'key' | 'exhaustedKey';
  /** What the contract charges for it. */
  readonly units: 0 | 1;
  /** Absent: none came. */
  readonly answer: Answer | undefined;
}

/** The service deviates from its contract. The message is one line, without a key. */
export class Deviation extends Error {
  override readonly name = 'Deviation';
}

/** A check could not be made. The message is the reason, in one line. */
export class Skipped extends Error {
  override readonly name = 'Skipped';
}

/** The outcome of one check. */
export interface CheckResult {
  readonly name: string;
  readonly status: 'ok' | 'note' | 'fail' | 'skip';
  readonly detail: string;
}
