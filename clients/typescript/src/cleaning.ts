/** Makes a text of a server one that may be shown. */
export type Clean = (text: string) => string;

/** Control and format characters, separators of lines, and halves of characters. */
const OBEYED = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const escaped = (character: string): string => {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
};

/** What looks like a credential of a gateway: its team chooses how keys begin. A short text may be a name. */
const LIKE_A_KEY = /(?:svc_(?:test|live|mgmt)_|[a-z]{2,12}_(?:test|live)_(?=[0-9a-z]{20}))[0-9a-z]+/gi;

/** Takes out this secret, and all that looks like one; what a terminal or a log would obey becomes an escape. */
export const cleanerFor =
  (secret: string, shown: string): Clean =>
  (text) =>
    text.replaceAll(secret, shown).replaceAll(LIKE_A_KEY, shown).replaceAll(OBEYED, escaped);

/** A text of a server, in so many characters at most. */
export const cut = (text: string, characters: number): string =>
  new RegExp(`^.{0,${characters}}`, 'su').exec(text)?.[0] ?? '';

/** The headers of an answer whose names may be shown, with values that may be. */
export function cleanHeaders(headers: Headers, clean: Clean): Headers {
  const shown = [...headers].filter(([name]) => clean(name) === name);
  return new Headers(shown.map(([name, value]): [string, string] => [name, clean(value)]));
}
