import { createHash } from 'node:crypto';

/** Where something stands in a list, such as `<time>#<id>`, which sorts as text. */
type Position = string;
/** What positions look like in lists that are in the order of time. */
export const TIME_POSITION = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z#[0-9a-z-]{1,36}$/;
const CHECK_CHARACTERS = 16;

/**
 * A position in the list of a project or an account, for the page to hand back as it is. The check tells another list's
 * and a damaged one from ours; whoever makes one up gains nothing, since it is only where to read on in their own list.
 */
export const cursorOf = (listOf: string, position: Position): string =>
  Buffer.from(check(listOf, position) + position).toString('base64url');

/** The position in a cursor of this list, of a form; undefined: it is none. */
export function readCursor(listOf: string, cursor: string, form: RegExp): Position | undefined {
  const text = Buffer.from(cursor, 'base64url').toString();
  const position = text.slice(CHECK_CHARACTERS);
  // Written back, too: the decoder leaves out what is not of its alphabet.
  return form.test(position) && cursorOf(listOf, position) === cursor ? position : undefined;
}

const check = (listOf: string, position: Position): string =>
  createHash('sha256').update(`${listOf}\n${position}`).digest('hex').slice(0, CHECK_CHARACTERS);
