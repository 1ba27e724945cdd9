import type { Answer, SmokeRequest } from './http-client.ts';

/** Whose key a request carries. */
export type Caller = 'nobody' | 'key' | 'exhaustedKey';

/** One check. */
export interface Check {
  readonly name: string;
  /** Checks without whose success this one says nothing. */
  readonly needs?: readonly Check[];
  /** Request units that the contract charges for its request; none by default. */
  readonly units?: number;
  /** Throws {@link Deviation} when the service deviates, {@link Skipped} when that cannot be told. */
  readonly run: (run: Run) => Finding | Promise<Finding>;
}
/** What a check found as it should be, in a few words, or a note on a documented peculiarity. */
export type Finding = string | { readonly note: string };

/** What a check may do: send requests, and look at those that were sent before. */
export interface Run {
  /** Throws {@link Deviation} when the key or its limits are what stops it. */
  readonly send: (request: SmokeRequest, caller: Caller) => Promise<Answer>;
  /** Every exchange of the run so far, in order. */
  readonly exchanges: readonly Exchange[];
  /** Those of checks that have passed: what is wrong with another was told there. */
  readonly relied: () => Answered[];
}
/** A request that was sent, and what came of it. */
export interface Exchange {
  readonly check: Check;
  readonly caller: Caller;
  /** Absent: none came. */
  readonly answer: Answer | undefined;
}
export type Answered = Exchange & { readonly answer: Answer };

/** The service deviates from its contract. The message is one line, without a key. */
export class Deviation extends Error {}
/** A check could not be made. The message is the reason, in one line. */
export class Skipped extends Error {}

/** The outcome of one check. */
export interface CheckResult {
  readonly name: string;
  readonly status: 'ok' | 'note' | 'fail' | 'skip';
  readonly detail: string;
}
