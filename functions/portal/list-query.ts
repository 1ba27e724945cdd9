import * as v from 'valibot';
import { cursorOf, readCursor, TIME_POSITION } from './cursor.ts';
import { Time } from './fields.ts';

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;
const LIMIT_RULE = `Give a whole number from 1 to ${MAX_LIMIT}.`;

/** The parameters of a query for a list; each list takes those that it needs, by `v.intersect`. */

/** From when on, and before when. */
export const Span = v.pipe(
  v.object({ since: v.optional(Time), until: v.optional(Time) }),
  v.forward(
    v.check(
      ({ since, until }) => since === undefined || until === undefined || since <= until,
      'The span ends before it begins.',
    ),
    ['until'],
  ),
);

/** At most how many. */
export const Limited = v.object({
  limit: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,3}$/, LIMIT_RULE),
      v.transform(Number),
      v.minValue(1, LIMIT_RULE),
      v.maxValue(MAX_LIMIT, LIMIT_RULE),
    ),
    String(DEFAULT_LIMIT),
  ),
});

/** Where the page before ended, of the list of this project or account, whose positions have a form. */
export const continued = (listOf: string, form = TIME_POSITION) =>
  v.object({
    cursor: v.optional(
      v.pipe(
        v.string(),
        v.transform((cursor) => readCursor(listOf, cursor, form)),
        v.string('Give the cursor of the page before, of this list.'),
      ),
    ),
  });

/** The cursor for the next page of such a list; null: there is none. */
export const nextCursor = (listOf: string, next: string | undefined): string | null =>
  next === undefined ? null : cursorOf(listOf, next);
