import * as v from 'valibot';
import { formed } from './ids.ts';
import { KeyId } from './requests/fields.ts';
import { KeyChanges, keyQuery, NewKey, Rotation, UnitsLimit } from './requests/keys.ts';
import { AnyCursor } from './requests/lists.ts';
import { COUNTED_FIND_CODES, CREATION_CODES, MEMBERS_CHANGE_CODES, type PortalOperation } from './route.ts';
import { Count, LastFour, MaybeText, Moment, NextCursor } from './values.ts';

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
export const KeyCreated = v.strictObject({ keyId: KeyId, key: formed(/^svc_test_[0-9A-Za-z]{42}$/) });

/** The keys of a project. */
export const keyContract = {
  /**
   * The one with the latest end first; 90 days after its end a key is gone. The first page of active keys is not
   * counted as a read. A page of older lists may be empty and still have a cursor.
   */
  listKeys: { query: keyQuery(AnyCursor), answers: { 200: Keys }, refuses: [...COUNTED_FIND_CODES, 'INVALID_REQUEST'] },
  /** A repeat within ten minutes, unused, has the same id and a new secret; a later one is CHANGED_MEANWHILE. */
  createKey: {
    isRepeatable: true,
    body: NewKey,
    answers: { 201: KeyCreated },
    refuses: [...MEMBERS_CHANGE_CODES, ...CREATION_CODES],
  },
  getKey: { answers: { 200: KeyDetails }, refuses: COUNTED_FIND_CODES },
  /** The limit of a replaced key changes with that of its successor. KEY_NOT_ACTIVE: what has ended or is replaced. */
  updateKey: { body: KeyChanges, answers: { 200: Key }, refuses: [...MEMBERS_CHANGE_CODES, 'KEY_NOT_ACTIVE'] },
  /** Done again, it answers the same. */
  revokeKey: { answers: { 200: Key }, refuses: MEMBERS_CHANGE_CODES },
  /** Two keys of a chain work at most: LIMIT_REACHED names the one that the request must end. */
  rotateKey: {
    isRepeatable: true,
    body: Rotation,
    answers: { 201: KeyCreated },
    refuses: [...MEMBERS_CHANGE_CODES, ...CREATION_CODES, 'KEY_NOT_ACTIVE'],
  },
} as const satisfies Record<string, PortalOperation>;
