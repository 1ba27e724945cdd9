/**
 * Characters that control a terminal or change how others look: control characters, line separators, and format
 * characters except the joiners of some scripts.
 */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}]|(?![\u200C\u200D])\p{Cf}/gu;

/** Whether a text has invisible characters. */
export const hasUnseen = (text: string): boolean => text.search(UNSEEN) !== -1;

/** A text for people, with invisible characters as their code points: `\u{1b}`. */
export const escaped = (text: string): string =>
  text.replace(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);

/** Equivalent JSON in one line without invisible characters: `JSON.stringify` does not escape most of them. */
export const json = (value: unknown): string => JSON.stringify(value).replace(UNSEEN, unitsOf);

/** A character as JSON escapes, in its UTF-16 code units. */
const unitsOf = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
  ).join('');

/** Named facts, one a line. Invisible characters are escaped. */
export function facts(values: Readonly<Record<string, string | number>>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length));
  return Object.entries(values)
    .map(([name, value]) => `${name.padEnd(width)}  ${escaped(String(value))}`)
    .join('\n');
}

/** A count with its unit: `1 account`, `2 accounts`. */
export const plural = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;
