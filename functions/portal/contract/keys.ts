import * as v from 'valibot';
import { KEY_STATES, MAX_UNITS_LIMIT } from '../../shared/choices.ts';
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

/** A new key. Without a lifetime it does not expire. */
export const NewKey = v.pipe(
  v.object({
    name: v.optional(Name),
    expiresInDays: v.optional(integer(1, MAX_LIFETIME_DAYS)),
    /** For a key of one session. */
    expiresInHours: v.optional(integer(1, MAX_LIFETIME_HOURS)),
    unitsLimit: v.optional(UnitsLimit),
  }),
  v.forward(
    v.check(
      ({ expiresInDays, expiresInHours }) => expiresInDays === undefined || expiresInHours === undefined,
      'Give expiresInDays or expiresInHours, not both.',
    ),
    ['expiresInHours'],
  ),
);

/** The changes of a key. */
export const KeyChanges = v.pipe(
  v.object({
    name: v.optional(Name),
    unitsLimit: v.optional(UnitsLimit),
    /** True: its requests are refused from the next one on. */
    paused: v.optional(v.boolean('Give true or false.')),
    /** Null: it never expires. */
    expiresAt: v.optional(v.nullable(Time)),
  }),
  v.minEntries(1, 'Give a name, a limit of units, an expiry or paused.'),
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
  unitsLimit: UnitsLimit,
  lastFour: LastFour,
  createdAt: Moment,
  expiresAt: v.nullable(Moment),
  /** Its successor; null: it was not rotated. */
  replacedBy: v.nullable(KeyId),
  /** Exact to the minute; null: it was not used yet. */
  lastUsed: v.nullable(Moment),
};
/** Units of the limit that are spent in this period; null: there is no limit. */
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
  /** A repeat within ten minutes, unused, has the same id and a new secret; a later one is CHANGED_MEANWHILE. */
  createKey: {
    route: `POST ${KEYS}`,
    by: 'member',
    isRepeatable: true,
    body: NewKey,
    answers: { 201: KeyCreated },
    refuses: CREATION_CODES,
  },
  getKey: {
    route: `GET ${KEYS}/{keyId}`,
    by: 'viewer',
    isFree: true,
    answers: { 200: KeyDetails },
    refuses: ['TOO_MANY_REQUESTS'],
  },
  /** The limit of a replaced key changes with that of its successor. KEY_NOT_ACTIVE: what has ended or is replaced. */
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
