/** One pass over the ledger of a project and period, in the order of its three reads. */
export interface Pass {
  /** Units on the counter before the events were read. */
  readonly before: number;
  /** Sum of the units of the events. */
  readonly sum: number;
  /** Units on the counter after the events were read. */
  readonly after: number;
}

/** What is known of the sum of the events minus the counter; below 0: the events have fewer. */
export interface Difference {
  readonly atLeast: number;
  readonly atMost: number;
}

/** `balanced`: it is 0. `different`: it is not 0. `undecided`: it may be 0. */
export type Verdict = 'balanced' | 'different' | 'undecided';

/** Passes that must agree that events are missing: one pass alone may have read a transaction halfway. */
const PASSES_THAT_AGREE = 3;

/**
 * The combined result of several passes over one ledger.
 *
 * Let d be the units of all events minus the counter. Charge and event are one transaction, so d is constant, and
 * events are never changed or removed. A query passes each position between the two reads of the counter. It sums every
 * event that existed at the first read, and none that did not exist at the second. An event in between may be in the
 * sum or not, whatever its position or time. So `before + d <= sum <= after + d`, that is `sum - after <= d <= sum -
 * before`. The bounds of several passes are combined.
 *
 * A transaction is atomic, but not isolated from a query and a single read (AWS, "DynamoDB transactions: isolation
 * levels"): for a moment one item can be seen with it and the other without.
 *
 * - The lower bound is right nevertheless. `after` is read in a transaction, which fails while another holds the
 *   counter. So it includes each charge whose event was seen.
 * - The upper bound is too low when `before` includes a charge whose event cannot be seen yet. So it proves missing
 *   events only when several passes agree, and never against a lower bound.
 */
export function judge(passes: readonly Pass[]): { verdict: Verdict; difference: Difference } {
  const atLeast = Math.max(...passes.map(lowerBound));
  const upperBounds = passes.map(upperBound).filter((bound) => bound >= atLeast);
  const atMost = Math.min(...upperBounds);
  const agreeing = upperBounds.filter((bound) => bound < 0).length;
  const difference = { atLeast, atMost };
  if (atLeast > 0 || agreeing >= PASSES_THAT_AGREE) return { verdict: 'different', difference };
  return { verdict: atLeast === 0 && atMost === 0 ? 'balanced' : 'undecided', difference };
}

/** The pass that ended closest to its last event. */
export const closest = <T extends Pass>(passes: readonly T[]): T =>
  passes.reduce((best, pass) => (lowerBound(pass) > lowerBound(best) ? pass : best));

const lowerBound = ({ sum, after }: Pass): number => sum - after;
/** Never below the lower bound, not even when somebody set the counter back meanwhile. */
const upperBound = (pass: Pass): number => Math.max(pass.sum - pass.before, lowerBound(pass));
