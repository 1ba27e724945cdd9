import * as v from 'valibot';
import { cursorOf, readCursor, TIME_POSITION } from './cursor.ts';
import { Time } from './fields.ts';

const MAX_LIMIT = 200;
const DEFAULT_LIMIT = 50;
const LIMIT_RULE = `Give a whole number from 1 to ${MAX_LIMIT}.`;

/** Query parameters of lists. Each list combines those that it needs with `v.intersect`. */

/** The beginning and the end of a span. */
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

/** The greatest number of entries. */
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

/** The end of the previous page of this project's or account's list, whose positions have a form. */
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

/** The cursor for the next page of a list; null: there is none. */
export const nextCursor = (listOf: string, next: string | undefined): string | null =>
  next === undefined ? null : cursorOf(listOf, next);
