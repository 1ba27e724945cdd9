import * as v from 'valibot';
import { KEY_STATES, MAX_UNITS_LIMIT } from '../../shared/choices.ts';
import { CAP_PERIODS } from '../../shared/request/cap-period.ts';
import { integer, KeyId, Name, Time } from './fields.ts';
import { formed } from './ids.ts';
import { AnyCursor, type Continued, Limited } from './lists.ts';
import { CREATION_CODES, type PortalOperation } from './operation.ts';
import { Count, LastFour, MaybeText, Moment, NextCursor } from './values.ts';

/** A key lives so long at most. */
export const MAX_LIFETIME_DAYS = 365;
const MAX_LIFETIME_HOURS = 24;
const MAX_GRACE_HOURS = 168;
const DEFAULT_GRACE_HOURS = 24;

/**
 * Units that a key may spend in a period, within the quota of its project; null: as many as the project. Both keys of a
 * rotation's grace spend from one limit.
 */
const UnitsLimit = v.nullable(integer(0, MAX_UNITS_LIMIT));

/** How often the spent units of the limit begin again at 0, in UTC; `once`: never. Weeks begin on Mondays (ISO 8601). */
const UnitsPeriod = v.picklist(CAP_PERIODS, `Give one of ${CAP_PERIODS.join(', ')}.`);

/** A new key. Without a lifetime it does not expire. */
export const NewKey = v.pipe(
  v.object({
    name: v.optional(Name),
    expiresInDays: v.optional(integer(1, MAX_LIFETIME_DAYS)),
    /** For a key of one session. */
    expiresInHours: v.optional(integer(1, MAX_LIFETIME_HOURS)),
    unitsLimit: v.optional(UnitsLimit),
    /** With a limit only. Absent: the period of the quota. */
    unitsPeriod: v.optional(UnitsPeriod),
    /**
     * A key of the project whose limit counts once: the new key spends from the same one. Of the same mode, not ended
     * and not replaced. At most 20 keys share a limit, with at most 180 requests a minute each.
     */
    capOf: v.optional(KeyId),
  }),
  v.forward(
    v.check(
      ({ expiresInDays, expiresInHours }) => expiresInDays === undefined || expiresInHours === undefined,
      'Give expiresInDays or expiresInHours, not both.',
    ),
    ['expiresInHours'],
  ),
  v.forward(
    v.check(
      ({ capOf, unitsLimit, unitsPeriod }) =>
        capOf === undefined || (unitsLimit === undefined && unitsPeriod === undefined),
      'Give capOf, or unitsLimit and unitsPeriod, not both.',
    ),
    ['capOf'],
  ),
);

/** The changes of a key. */
export const KeyChanges = v.pipe(
  v.object({
    name: v.optional(Name),
    /** Of keys that share a limit it is that of all; null is refused. */
    unitsLimit: v.optional(UnitsLimit),
    /** With a limit only, which may be there already. Keys that share a limit have `once` alone. Absent: unchanged. */
    unitsPeriod: v.optional(UnitsPeriod),
    /** True: its requests are refused from the next one on. */
    paused: v.optional(v.boolean('Give true or false.')),
    /** Null: it never expires. */
    expiresAt: v.optional(v.nullable(Time)),
  }),
  v.minEntries(1, 'Give a name, a limit of units, its period, an expiry or paused.'),
);

/** A rotation. */
export const Rotation = v.object({
  /** How long the old key works; 0: it is refused from its next request on. */
  graceHours: v.optional(integer(0, MAX_GRACE_HOURS), DEFAULT_GRACE_HOURS),
  /**
   * The key that the old one replaced, where that is still in its grace: it ends at once. Somebody may still use it.
   */
  ends: v.optional(KeyId),
});

/** The query of the list. Without a state: active keys, then those that have ended. */
export const keyQuery = (cursor: Continued) =>
  v.intersect([
    v.object({ state: v.optional(v.picklist(KEY_STATES, `Give one of ${KEY_STATES.join(', ')}.`)) }),
    Limited,
    cursor,
  ]);

const ofKey = {
  keyId: KeyId,
  name: MaybeText,
  mode: v.picklist(['test', 'live']),
  scopes: v.array(v.string()),
  status: v.picklist(['active', 'revoked', 'expired']),
  paused: v.boolean(),
  /** Requests a minute. */
  rpm: Count,
  /** Of keys that share a limit: that of all. */
  unitsLimit: UnitsLimit,
  /** Null: there is no limit. */
  unitsPeriod: v.nullable(UnitsPeriod),
  /**
   * The key that first had the limit which this one shares. It may have ended: its id is only a name. Null: it is this
   * key, or no other key shares the limit.
   */
  capOf: v.nullable(KeyId),
  lastFour: LastFour,
  createdAt: Moment,
  expiresAt: v.nullable(Moment),
  /** Its successor; null: it was not rotated. */
  replacedBy: v.nullable(KeyId),
  /** Exact to the minute; null: it was not used yet. */
  lastUsed: v.nullable(Moment),
};
/** Units of the limit that are spent in its present period; null: there is no limit. */
const UnitsUsed = v.nullable(Count);

/** What is known of a key; the key itself is not. */
export const Key = v.strictObject({
  ...ofKey,
  /** Not in the answer to a change. */
  unitsUsed: v.exactOptional(UnitsUsed),
});
export type Key = v.InferOutput<typeof Key>;

export const Keys = v.strictObject({ keys: v.array(Key), cursor: NextCursor });
export type Keys = v.InferOutput<typeof Keys>;

/** A key and what it has done. */
const KeyDetails = v.strictObject({
  ...ofKey,
  unitsUsed: UnitsUsed,
  /** The key whose rotation made it; null: none. */
  replaces: v.nullable(KeyId),
  /** The rate limit now, as the next request would meet it. */
  rate: v.strictObject({ limit: Count, remaining: Count, resetsAt: Moment }),
  /** What it has done in the present period of the quota. Asked again, the sums continue until they are complete. */
  usage: v.strictObject({
    period: v.string(),
    complete: v.boolean(),
    requests: Count,
    units: Count,
    /** UTC days, oldest first. Those that are not summed yet are left out. */
    days: v.array(v.strictObject({ start: Moment, requests: Count, units: Count })),
  }),
  /** Its requests since it was rotated. Null: it is not in its grace. */
  sinceRotation: v.nullable(
    v.strictObject({
      /** When its successor was made. */
      replacedAt: Moment,
      /** Up to five minutes later where the project had very many requests just then. */
      countedFrom: Moment,
      complete: v.boolean(),
      requests: Count,
    }),
  ),
});
export type KeyDetails = v.InferOutput<typeof KeyDetails>;

/** The secret itself, this once. */
export const KeyCreated = v.strictObject({ keyId: KeyId, key: formed(/^[a-z]{2,12}_test_[0-9A-Za-z]{42}$/) });

const KEYS = '/api/accounts/{accountId}/projects/{projectId}/keys';

/** The keys of a project. */
export const keyContract = {
  /**
   * The one with the latest end first; 90 days after its end a key is gone. The first page of active keys is not
   * counted as a read. A page of older lists may be empty and still have a cursor.
   */
  listKeys: {
    route: `GET ${KEYS}`,
    by: 'viewer',
    isFree: true,
    query: keyQuery(AnyCursor),
    answers: { 200: Keys },
    refuses: ['TOO_MANY_REQUESTS'],
  },
  /**
   * A repeat within ten minutes, unused, has the same id and a new secret; a later one is CHANGED_MEANWHILE. Of `capOf`:
   * NOT_FOUND: no such key in the project; KEY_NOT_ACTIVE: it has ended or is replaced.
   */
  createKey: {
    route: `POST ${KEYS}`,
    by: 'member',
    isRepeatable: true,
    body: NewKey,
    answers: { 201: KeyCreated },
    refuses: [...CREATION_CODES, 'KEY_NOT_ACTIVE'],
  },
  getKey: {
    route: `GET ${KEYS}/{keyId}`,
    by: 'viewer',
    isFree: true,
    answers: { 200: KeyDetails },
    refuses: ['TOO_MANY_REQUESTS'],
  },
  /**
   * The limit of a replaced key changes with that of its successor, and a shared one for all keys that share it.
   * KEY_NOT_ACTIVE: what has ended or is replaced.
   */
  updateKey: {
    route: `PATCH ${KEYS}/{keyId}`,
    by: 'member',
    body: KeyChanges,
    answers: { 200: Key },
    refuses: ['KEY_NOT_ACTIVE'],
  },
  /** Done again, it answers the same. */
  revokeKey: { route: `POST ${KEYS}/{keyId}/revoke`, by: 'member', answers: { 200: Key } },
  /** Two keys of a chain work at most: LIMIT_REACHED names the one that the request must end. */
  rotateKey: {
    route: `POST ${KEYS}/{keyId}/rotate`,
    by: 'member',
    isRepeatable: true,
    body: Rotation,
    answers: { 201: KeyCreated },
    refuses: [...CREATION_CODES, 'KEY_NOT_ACTIVE'],
  },
} as const satisfies Record<string, PortalOperation>;
