import * as v from 'valibot';
import canonicalize from 'canonicalize';

/** What the gateway and the portal both require of their input: a JSON body, and texts in it. */

/** Largest request body, in bytes after decoding (`PAYLOAD_TOO_LARGE`). */
export const MAX_BODY_BYTES = 16 * 1024;
/** Visible ASCII, 1 to 255 characters. */
const IDEMPOTENCY_KEY = /^[\x21-\x7E]{1,255}$/;
/** RFC 9110, section 8.3.1: the type is case-insensitive; parameters may follow. */
const JSON_MEDIA_TYPE = /^application\/json[ \t]*(?:;|$)/i;

/** Whether a text has the form of an Idempotency-Key. */
export const isIdempotencyKey = (text: string): boolean => IDEMPOTENCY_KEY.test(text);

/** Whether a `Content-Type` is JSON's. An absent one is not. */
export const isJsonMediaType = (contentType: string | undefined): boolean => JSON_MEDIA_TYPE.test(contentType ?? '');

// A byte order mark is preserved, so that the JSON parser refuses it (RFC 8259, section 8.1).
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bytes as text; undefined: they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

export type IJsonResult =
  | { readonly ok: true; readonly value: Record<string, unknown>; readonly canonical: string }
  | { readonly ok: false; readonly reason: string };

/** Deepest nesting that is read. The canonicaliser recurses, and a 16 KiB body can nest 8,000 deep. */
const MAX_DEPTH = 32;

/**
 * Reads a JSON object that has an I-JSON form (RFC 7493), and gives its canonical text (RFC 8785). It refuses numbers
 * that a double does not hold, lone surrogates and duplicate members: with these, two different texts would count as
 * the same request.
 */
export function parseIJsonObject(text: string): IJsonResult {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the body, so it is not used.
    return refused('The request body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refused('The request body must be a JSON object.');
  }
  // Strings hold no structure. Without them, every bracket, colon and number is part of the structure.
  const skeleton = text.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  if (nestingDepth(skeleton) > MAX_DEPTH) {
    return refused(`The request body is nested deeper than ${MAX_DEPTH} levels.`);
  }
  if (count(skeleton, ':') !== countMembers(value)) return refused('The request body names a member twice.');
  if (!(skeleton.match(/-?\d[\d.eE+-]*/g) ?? []).every(isExactNumber)) {
    return refused('The request body holds a number that a double-precision value cannot represent.');
  }
  if (!isWellFormedThroughout(value)) return refused('The request body holds text that is not valid Unicode.');
  const canonical = canonicalize(value);
  if (canonical === undefined) return refused('The request body must be a JSON object.');
  return { ok: true, value: value as Record<string, unknown>, canonical };
}

const refused = (reason: string): IJsonResult => ({ ok: false, reason });

function nestingDepth(skeleton: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of skeleton) {
    if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth);
    else if (character === '}' || character === ']') depth--;
  }
  return deepest;
}

const count = (text: string, character: string): number => text.split(character).length - 1;

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const children = Object.values(value).reduce<number>((sum, child) => sum + countMembers(child), 0);
  return Array.isArray(value) ? children : children + Object.keys(value).length;
}

function isWellFormedThroughout(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, child]) => name.isWellFormed() && isWellFormedThroughout(child));
}

/** Whether reading a number literal and writing it again gives the same value (RFC 7493, section 2.2). */
const isExactNumber = (literal: string): boolean => decimalValue(literal) === decimalValue(String(Number(literal)));

/** A unique spelling of a decimal number's value: significant digits and the power of ten. For `Infinity` it is 0. */
function decimalValue(literal: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  // The lookbehind makes the search read each run of zeros once. Without it, 16 KiB of zeros would take quadratic time.
  const significant = digits.replace(/(?<!0)0+$/, '');
  if (significant === '') return '0';
  const power = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign}${significant}e${power}`;
}

/** Input that matches its schema, or what is wrong with it. */
export type Validated<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      /** One sentence of fixed text. It never contains input. */
      readonly detail: string;
      /** The wrong member, by its name in the schema; undefined: no single member. */
      readonly field: string | undefined;
    };

/** Names of the members in a schema: of an object, or of an intersection of objects. */
export function memberNames(schema: object): string[] {
  const { entries = {}, options = [] } = schema as { entries?: object; options?: readonly object[] };
  return [...Object.keys(entries), ...options.flatMap(memberNames)];
}

/**
 * Checks what a caller sent. The message is that of the first check that fails. If it has none, the text is made here:
 * the library's default messages and the names of unknown members quote the caller.
 */
export function validate<T>(schema: v.GenericSchema<unknown, T>, input: unknown): Validated<T> {
  const result = v.safeParse(schema, input, { abortEarly: true, message: NO_MESSAGE });
  if (result.success) return { ok: true, value: result.output };
  const [{ message, path }] = result.issues;
  const field = memberNames(schema).find((name) => name === path?.[0].key);
  const isMissing = path?.length === 1 && path[0].origin === 'key';
  const problem = isMissing ? 'is missing' : 'is not valid';
  return { ok: false, detail: message === NO_MESSAGE ? `${field ?? 'The request'} ${problem}.` : message, field };
}
const NO_MESSAGE = '';

/**
 * A check that a text has at most `most` characters. They are counted by code points, as in the contract: for
 * `v.maxLength` an emoji is two.
 */
export const maxCharacters = (most: number, message: string) =>
  v.check((text: string) => Array.from(text).length <= most, message);

/** Longest name that people give to what is theirs. */
export const MAX_NAME_CHARACTERS = 100;

/**
 * A visible character: no space, control or format character, and none that is drawn as nothing (Unicode,
 * Default_Ignorable_Code_Point, such as the Hangul fillers; and the blank pattern of Braille).
 */
const VISIBLE = /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether a text has a visible character. */
export const isVisible = (text: string): boolean => VISIBLE.test(text);
