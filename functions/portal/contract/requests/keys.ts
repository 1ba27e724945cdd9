import * as v from 'valibot';
import { KEY_STATES, MAX_UNITS_LIMIT } from '../../../shared/rules/choices.ts';
import { integer, KeyId, Name, Time } from './fields.ts';
import { type Continued, Limited } from './lists.ts';

/** A key lives so long at most. */
export const MAX_LIFETIME_DAYS = 365;
const MAX_LIFETIME_HOURS = 24;
const MAX_GRACE_HOURS = 168;
const DEFAULT_GRACE_HOURS = 24;

/**
 * Units that a key may spend in a period, within the quota of its project; null: as many as the project. Both keys of a
 * rotation's grace spend from one limit.
 */
export const UnitsLimit = v.nullable(integer(0, MAX_UNITS_LIMIT));

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
