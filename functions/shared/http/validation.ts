import * as v from 'valibot';

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
