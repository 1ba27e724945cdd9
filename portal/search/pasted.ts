import { ERRORS } from '../gateway/errors.ts';

/**
 * A UUID of version 7, as the ids of requests are. Most clients make Idempotency-Keys of version 4: taken for an id, one
 * would be in an address.
 */
const ID = '([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})';
const ID_ALONE = new RegExp(`^\\s*${ID}\\s*$`, 'i');
/** As in the body of an answer, in its header and in most logs. */
const NAMED_ID = new RegExp(`(?<![a-z])request-?id["']?\\s*[:=]\\s*["']?${ID}(?![0-9a-z-])`, 'i');

/** The id of a request, if the text is one or names one as `requestId`: the whole body of an error may be pasted. */
export const requestIdIn = (typed: string): string | undefined =>
  (ID_ALONE.exec(typed) ?? NAMED_ID.exec(typed))?.[1]?.toLowerCase();

const KNOWN: ReadonlySet<string> = new Set(ERRORS.map(({ code }) => code));

/** The code of an error that the text contains, as a pasted answer does. Undefined: none that is known. */
export const codeIn = (typed: string): string | undefined =>
  typed.match(/(?<![A-Z_])[A-Z]+(?:_[A-Z]+)+(?![A-Z_])/g)?.find((word) => KNOWN.has(word));
