import { MS_PER_MINUTE } from './clock.ts';

const SECONDS_PER_MINUTE = 60;
/** Slots that a key's counts rotate through, so that a new minute starts at an absent attribute, not at a stale count. */
const SLOT_COUNT = 16;
/** The attributes that count, one minute each. */
export const SLOTS: readonly string[] = Array.from({ length: SLOT_COUNT }, (_, slot) => `slot${slot}`);
/**
 * How far ahead a stored window may be and still be believed: another instance's clock leads by up to two minutes.
 * Further ahead, that clock is broken, and waiting for it would refuse every request until real time catches up.
 */
const MAX_LEAD_MINUTES = 2;

/** A fixed UTC minute, numbered from the epoch. */
export type Minute = number;

/** Where a key stands in its window; the values of the `X-RateLimit-*` headers. */
export interface RateStatus {
  readonly limit: number;
  readonly remaining: number;
  readonly resetEpochSeconds: number;
}

/** What an admission found in the key item about its window. */
export interface StoredWindow {
  readonly minute: Minute | undefined;
  /** Requests counted in that minute. */
  readonly count: number;
}

/** How to count a request. `count` holds to the limit; `reset` starts a window over one that `replaces` names. */
export type CountingStep =
  | { readonly kind: 'count'; readonly minute: Minute }
  | {
      readonly kind: 'reset';
      readonly minute: Minute;
      readonly replaces: Minute | undefined;
      readonly aheadOfClock: boolean;
    };

/** The minute that a moment falls in. */
export const minuteAt = (epochMs: number): Minute => Math.floor(epochMs / MS_PER_MINUTE);

/** The attribute that holds the count of a minute. */
export const slotOf = (minute: Minute): string => `slot${minute % SLOT_COUNT}`;

/** The attributes that a write to this minute clears. */
export function otherSlots(minute: Minute): string[] {
  const own = slotOf(minute);
  return SLOTS.filter((slot) => slot !== own);
}

/** Where a key stands after `count` requests in a minute; `remaining` is never below 0. */
export const rateStatus = (minute: Minute, limit: number, count: number): RateStatus => ({
  limit,
  remaining: Math.max(0, limit - count),
  resetEpochSeconds: (minute + 1) * SECONDS_PER_MINUTE,
});

/**
 * What to do when counting did not go through although the key is good: the window in the way is full
 * (`rateLimited`), or there is another way to count.
 *
 * - a past minute whose slot collides (a gap of 16 n minutes): start this minute over it
 * - this minute, or one up to {@link MAX_LEAD_MINUTES} ahead: count there; a window never moves backwards
 * - one further ahead: a broken clock wrote it; overwrite
 */
export function recount(stored: StoredWindow, limit: number, now: Minute): CountingStep | { readonly kind: 'full' } {
  const { minute } = stored;
  if (minute === undefined || minute < now)
    return { kind: 'reset', minute: now, replaces: minute, aheadOfClock: false };
  if (minute > now + MAX_LEAD_MINUTES) return { kind: 'reset', minute: now, replaces: minute, aheadOfClock: true };
  return stored.count >= limit ? { kind: 'full' } : { kind: 'count', minute };
}
