import type { ItemKey } from '../shared/store/items.ts';
import type { Change, AccountStore } from './account-store.ts';
import { updateOf, type Update } from './conditional-writes.ts';
import { absentOr, below } from './expressions.ts';
import type { RefusedError } from './refusals.ts';

/** A count may be deleted this long after its time: the clocks of instances differ by less. */
const KEPT_SECONDS = 3_600;

/** A counter for one span of time, in its own item, so that one expression also starts a new span. */
export interface Counter {
  readonly key: ItemKey;
  /** The greatest count. */
  readonly limit: number;
  /** The end of the span. */
  readonly endEpochSeconds: number;
}

/** Adds one to a count, unless the limit is reached. Parallel requests never exceed it. */
export const counting = ({ key, limit, endEpochSeconds }: Counter): Update => ({
  key,
  when: { count: absentOr(below(limit)) },
  set: { ttl: endEpochSeconds + KEPT_SECONDS },
  add: { count: 1 },
});

/** The same as a part of a change. A refused change counts nothing. */
export const counted = (store: AccountStore, counter: Counter, refusal: () => RefusedError): Change => ({
  write: { Update: updateOf(store, counting(counter)) },
  refusal,
});
