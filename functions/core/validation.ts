import * as v from 'valibot';

/** Input that fits its schema, or what is wrong with it. */
export type Validated<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      /** One sentence of fixed text. It never holds input. */
      readonly detail: string;
      /** The member that is wrong, by the schema's own name for it; undefined: none in particular. */
      readonly field: string | undefined;
    };

/** Names of the members that a schema reads: of an object, or of an intersection of objects. */
export function memberNames(schema: object): string[] {
  const { entries = {}, options = [] } = schema as { entries?: object; options?: readonly object[] };
  return [...Object.keys(entries), ...options.flatMap(memberNames)];
}

/**
 * Checks what a caller sent. The first check that fails says what is wrong. Where it has no message of its own, the text
 * is made here: the library's default messages and the names of unknown members quote the caller.
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
 * A check that a text has at most so many characters. They are counted as the contract counts them, by code points: to
 * `v.maxLength` an emoji is two.
 */
export const maxCharacters = (most: number, message: string) =>
  v.check((text: string) => Array.from(text).length <= most, message);

/** Longest name that people give to what is theirs. */
export const MAX_NAME_CHARACTERS = 100;

/**
 * What takes room on a page, at most: no space, control or format character, and none that is drawn as nothing (Unicode,
 * Default_Ignorable_Code_Point, such as the Hangul fillers; and the blank pattern of Braille).
 */
const VISIBLE = /[^\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

/** Whether people see anything of a text. */
export const isVisible = (text: string): boolean => VISIBLE.test(text);
