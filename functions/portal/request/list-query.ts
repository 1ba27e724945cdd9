import { createHash } from 'node:crypto';
import * as v from 'valibot';
import type { Continued } from '../contract/lists.ts';

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

/** The end of the previous page of this project's or account's list, whose positions have a form. */
export const continued = (listOf: string, form = TIME_POSITION): Continued =>
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
