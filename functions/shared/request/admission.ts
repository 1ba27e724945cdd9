import type { KeyMode } from '../credentials/credential-text.ts';
import type { ErrorCode } from '../http/errors.ts';
import type { KeyCap } from './quota-shards.ts';
import { MS_PER_MINUTE } from '../time.ts';

/** A key as it is stored, without its counters. */
export interface KeyRecord {
  readonly keyId: string;
  readonly projectId: string;
  readonly mode: KeyMode;
  readonly scopes: ReadonlySet<string>;
  readonly status: 'active' | 'revoked';
  /** Refused until it is resumed; absent: not paused. */
  readonly paused?: true;
  /** Refused from this moment on; absent: never. */
  readonly expiresAtMs?: number;
  /** Requests per minute. */
  readonly rpm: number;
  /** Units that it may spend in a quota period, 0 to 10⁹; absent: as many as its project. */
  readonly unitsLimit?: number;
  /**
   * The id of the first key with a limit in the chain of rotations. It names the counter, and never changes once it is
   * set.
   */
  readonly capId?: string;
}

/** The mode and the scope that an operation requires of a key. */
export interface AccessRequirement {
  readonly mode: KeyMode;
  readonly scope: string;
}

/** Why a key is refused before it is counted. */
export type KeyRefusalCode = Extract<
  ErrorCode,
  | 'INVALID_API_KEY'
  | 'API_KEY_REVOKED'
  | 'API_KEY_EXPIRED'
  | 'API_KEY_PAUSED'
  | 'INSUFFICIENT_SCOPE'
  | 'KEY_MODE_MISMATCH'
>;

/** A valid key and its limits at the moment of the admission. */
interface AdmittedKey {
  readonly keyId: string;
  readonly rate: RateStatus;
  readonly cap: KeyCap | undefined;
}

/** The result of one write, which authenticates a key and counts its request. */
export type Admission =
  | (AdmittedKey & { readonly outcome: 'admitted'; readonly clockBroken: boolean })
  | (AdmittedKey & { readonly outcome: 'rateLimited' })
  /** `keyId` is absent for an unknown key. */
  | { readonly outcome: 'refused'; readonly code: KeyRefusalCode; readonly keyId?: string };

/** Why a stored key is refused now; undefined: it is not refused. An `undefined` key is an unknown key. */
export function keyRefusal(
  key: KeyRecord | undefined,
  required: AccessRequirement,
  nowMs: number,
): KeyRefusalCode | undefined {
  if (key === undefined) return 'INVALID_API_KEY';
  if (key.status !== 'active') return 'API_KEY_REVOKED';
  if (key.expiresAtMs !== undefined && nowMs >= key.expiresAtMs) return 'API_KEY_EXPIRED';
  if (key.paused) return 'API_KEY_PAUSED';
  if (!key.scopes.has(required.scope)) return 'INSUFFICIENT_SCOPE';
  if (key.mode !== required.mode) return 'KEY_MODE_MISMATCH';
  return undefined;
}

/** The cap of a stored key; undefined: it has none. */
export const capOf = ({ keyId, unitsLimit, capId = keyId }: KeyRecord): KeyCap | undefined =>
  unitsLimit === undefined ? undefined : { id: capId, limit: unitsLimit };

const SECONDS_PER_MINUTE = 60;
/**
 * A key's counts rotate through these slots. So a new minute starts with an absent attribute, and not with a stale
 * count.
 */
const SLOT_COUNT = 16;
/** The attributes with the counts, one for each minute. */
export const SLOTS: readonly string[] = Array.from({ length: SLOT_COUNT }, (_, slot) => `slot${slot}`);
/**
 * How far ahead a stored window may be: the clock of another instance may lead by up to two minutes. A window further
 * ahead comes from a broken clock. To wait for it would refuse every request until real time reaches it.
 */
const MAX_LEAD_MINUTES = 2;

/** A fixed UTC minute, numbered from the epoch. */
export type Minute = number;

/** The state of a key's window: the values of the `X-RateLimit-*` headers. */
export interface RateStatus {
  readonly limit: number;
  readonly remaining: number;
  readonly resetEpochSeconds: number;
}

/** The window that an admission found in the key item. */
export interface StoredWindow {
  readonly minute: Minute | undefined;
  /** Requests counted in that minute. */
  readonly count: number;
}

/**
 * How to count a request. `count` respects the limit. `reset` starts a new window in place of the one in `replaces`.
 */
export type CountingStep =
  | { readonly kind: 'count'; readonly minute: Minute }
  | {
      readonly kind: 'reset';
      readonly minute: Minute;
      readonly replaces: Minute | undefined;
      readonly aheadOfClock: boolean;
    };

/** The minute of a moment. */
export const minuteAt = (epochMs: number): Minute => Math.floor(epochMs / MS_PER_MINUTE);

/** The attribute with the count of a minute. */
export const slotOf = (minute: Minute): string => `slot${minute % SLOT_COUNT}`;

/** The attributes that a write to this minute clears. */
export function otherSlots(minute: Minute): string[] {
  const own = slotOf(minute);
  return SLOTS.filter((slot) => slot !== own);
}

/** The state after `count` requests in a minute; `remaining` is never below 0. */
export const rateStatus = (minute: Minute, limit: number, count: number): RateStatus => ({
  limit,
  remaining: Math.max(0, limit - count),
  resetEpochSeconds: (minute + 1) * SECONDS_PER_MINUTE,
});

/**
 * The minute that a request is counted in now, and how many are counted in it: as {@link countAgain} decides. A stored
 * window of the past, or of a broken clock, counts nothing now.
 */
export const windowNow = ({ minute, count }: StoredWindow, now: Minute): { minute: Minute; count: number } =>
  minute === undefined || minute < now || minute > now + MAX_LEAD_MINUTES
    ? { minute: now, count: 0 }
    : { minute, count };

/**
 * What to do when a request of a valid key was not counted: the present window is full, or the request can be counted
 * in another way.
 *
 * - a past minute with the same slot (a gap of 16 n minutes): start this minute in its place
 * - this minute, or one up to {@link MAX_LEAD_MINUTES} ahead: count there; a window never moves backwards
 * - a minute further ahead: a broken clock wrote it; overwrite it
 */
export function countAgain(stored: StoredWindow, limit: number, now: Minute): CountingStep | { readonly kind: 'full' } {
  const { minute } = stored;
  if (minute === undefined || minute < now)
    return { kind: 'reset', minute: now, replaces: minute, aheadOfClock: false };
  if (minute > now + MAX_LEAD_MINUTES) return { kind: 'reset', minute: now, replaces: minute, aheadOfClock: true };
  return stored.count >= limit ? { kind: 'full' } : { kind: 'count', minute };
}
