/** One look at the books of a project and period, in the order of its three readings. */
export interface Look {
  /** Units on the counter before the events were read. */
  readonly before: number;
  /** Sum of the units of the events. */
  readonly sum: number;
  /** Units on the counter after the events were read. */
  readonly after: number;
}

/** What is known of the units that the events have more than the counter; below 0: fewer. */
export interface Difference {
  readonly atLeast: number;
  readonly atMost: number;
}

/** `balanced`: it is 0. `different`: it is not 0. `undecided`: it may be 0. */
export type Verdict = 'balanced' | 'different' | 'undecided';

/** Looks that must agree that events are missing: one alone may have met a transaction halfway. */
const LOOKS_THAT_AGREE = 3;

/**
 * What looks at the same books say together.
 *
 * Let d be the units of all events less the counter. Charge and event are one transaction, so d is constant, and events
 * are never changed or removed. A query passes each place between the two readings of the counter: it sums every event
 * that was there at the first, and none that was not yet there at the second. An event between, whatever its place and
 * however old its time, may be in the sum or not. So `before + d <= sum <= after + d`, that is
 * `sum - after <= d <= sum - before`, and bounds of several looks are put together.
 *
 * A transaction is atomic, but not isolated from a query and a single read (AWS, "DynamoDB transactions: isolation
 * levels"): for a moment one item can be seen with it and the other without.
 * - The lower bound holds nevertheless, since `after` is read in a transaction, which fails while another holds the
 *   counter: a charge whose event was seen is on it.
 * - The upper bound is too low when `before` has a charge whose event cannot be seen yet. So it says that events are
 *   missing only when several looks agree, and not against a lower bound.
 */
export function judge(looks: readonly Look[]): { verdict: Verdict; difference: Difference } {
  const atLeast = Math.max(...looks.map(lowerBound));
  const upperBounds = looks.map(upperBound).filter((bound) => bound >= atLeast);
  const atMost = Math.min(...upperBounds);
  const agreeing = upperBounds.filter((bound) => bound < 0).length;
  const difference = { atLeast, atMost };
  if (atLeast > 0 || agreeing >= LOOKS_THAT_AGREE) return { verdict: 'different', difference };
  return { verdict: atLeast === 0 && atMost === 0 ? 'balanced' : 'undecided', difference };
}

/** The look that ended closest to its last event. */
export const closest = (looks: readonly Look[]): Look =>
  looks.reduce((best, look) => (lowerBound(look) > lowerBound(best) ? look : best));

const lowerBound = ({ sum, after }: Look): number => sum - after;
/** Never below the lower one, not even when a counter was set back by hand meanwhile. */
const upperBound = (look: Look): number => Math.max(look.sum - look.before, lowerBound(look));
