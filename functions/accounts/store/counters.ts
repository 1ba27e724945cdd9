import { dayOf, MS_PER_DAY, MS_PER_SECOND } from '../../shared/time.ts';
import type { ItemKey } from '../../shared/store/items.ts';
import type { Change, AccountStore } from './account-store.ts';
import { updateOf, type Update } from './writes.ts';
import { absentOr, below } from './expressions.ts';
import type { RefusedError } from './refusals.ts';

/** A count may be deleted this long after its time: the clocks of instances differ by less. */
const KEPT_SECONDS = 3_600;

/** A counter for one span of time, in its own item, so that one expression also starts a new span. */
export interface Counter {
  readonly key: ItemKey;
  /** The greatest count. */
  readonly limit: number;
  /** A count of its own within that count; absent: there is none. */
  readonly part?: { readonly name: string; readonly limit: number };
  /** The end of the span. */
  readonly endEpochSeconds: number;
}

/** Adds one to a count, unless the limit is reached. Parallel requests never exceed it. */
export const counting = ({ key, limit, part, endEpochSeconds }: Counter): Update => ({
  key,
  when: { count: absentOr(below(limit)), ...(part && { [part.name]: absentOr(below(part.limit)) }) },
  set: { ttl: endEpochSeconds + KEPT_SECONDS },
  add: { count: 1, ...(part && { [part.name]: 1 }) },
});

/** The same as a part of a change. A refused change counts nothing. */
export const counted = (store: AccountStore, counter: Counter, refusal: () => RefusedError): Change => ({
  write: { Update: updateOf(store, counting(counter)) },
  refusal,
});

/** The UTC day of a moment, and its end, for a counter of that day. */
export const countedDay = (nowMs: number): { readonly day: string; readonly endEpochSeconds: number } => ({
  day: dayOf(nowMs),
  endEpochSeconds: ((Math.floor(nowMs / MS_PER_DAY) + 1) * MS_PER_DAY) / MS_PER_SECOND,
});
