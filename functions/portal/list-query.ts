import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { Time } from './fields.ts';

/** A position in a list, such as `<time>#<id>`, which sorts as text. */
type Position = string;
/** The form of positions in lists in the order of time. */
const TIME_POSITION = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z#[0-9a-z-]{1,36}$/;
const CHECK_CHARACTERS = 16;

/**
 * A position in the list of a project or an account, for the page to send back unchanged. The check detects a cursor of
 * another list, and a damaged one. To forge one is useless: it only says where to continue in the caller's own list.
 */
export const cursorOf = (listOf: string, position: Position): string =>
  Buffer.from(check(listOf, position) + position).toString('base64url');

/** The position in a cursor of this list, if it has a form; undefined: it is invalid. */
function readCursor(listOf: string, cursor: string, form: RegExp): Position | undefined {
  const text = Buffer.from(cursor, 'base64url').toString();
  const position = text.slice(CHECK_CHARACTERS);
  // It is encoded again, because the decoder skips invalid characters.
  return form.test(position) && cursorOf(listOf, position) === cursor ? position : undefined;
}

const check = (listOf: string, position: Position): string =>
  createHash('sha256').update(`${listOf}\n${position}`).digest('hex').slice(0, CHECK_CHARACTERS);

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
