import { DEFAULT_KEY_PREFIX, type KeyPrefixes } from '../settings/key-prefixes.ts';

/** What keys and tokens look like as text. How they are made is apart: a schema for a browser needs no cryptography. */

/** Test and live keys are separate (docs/api/keys.md, "What a key is"). */
export const KEY_MODES = ['test', 'live'] as const;
export type KeyMode = (typeof KEY_MODES)[number];

/** The scope a ping needs (docs/api/keys.md, "What a key is"). */
export const SANDBOX_SCOPE = 'sandbox:invoke';
/** The only mode of key that the sandbox serves. */
export const SANDBOX_MODE: KeyMode = 'test';

/** Characters of a project's id, which is part of each of its keys. */
export const PROJECT_ID_LENGTH = 12;
/** Characters of a tag: 47.6 bits. One of 10¹⁴ forged keys reaches the database. */
export const TAG_LENGTH = 8;
/** The secret of a key has 16 random characters (95 bits), and the tag of everything before the tag. */
export const RANDOM_LENGTH = 16;
const SECRET_LENGTH = RANDOM_LENGTH + TAG_LENGTH;
/** Characters of the checksum at the end. */
export const CHECKSUM_LENGTH = 6;
/** Characters of a key after its prefix and its mode. */
export const KEY_CHARACTERS = PROJECT_ID_LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH;
/** The beginning of a management token, in every stage. */
export const TOKEN_PREFIX = 'svc_mgmt_';
/** Characters of the account's id in a token, in place of a project's. */
export const ACCOUNT_ID_LENGTH = 16;
/** Characters of a token after its beginning. */
export const TOKEN_CHARACTERS = ACCOUNT_ID_LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH;

/** The form of keys and of tokens, by a regular expression of the prefix of keys. */
const formsOf = (prefix: string) => {
  const key = `(?:${prefix})_(${KEY_MODES.join('|')})_`;
  const whole = `${key}([0-9A-Za-z]{${PROJECT_ID_LENGTH}})[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}`;
  return {
    key: new RegExp(`^${whole}$`),
    all: new RegExp(`${whole}|${TOKEN_PREFIX}[0-9A-Za-z]{${TOKEN_CHARACTERS}}`, 'g'),
    beginning: new RegExp(`${key}|${TOKEN_PREFIX}`, 'i'),
  };
};

let known: KeyPrefixes = [DEFAULT_KEY_PREFIX];
let forms = formsOf(DEFAULT_KEY_PREFIX);

/**
 * Makes the prefixes of keys known to this process, once when it starts: it is of one stage. All below go by them.
 *
 * @param form of the prefixes that are recognised, where a program may meet keys of any stage
 */
export function knowKeyPrefixes(prefixes: KeyPrefixes, form = prefixes.join('|')): void {
  known = prefixes;
  forms = formsOf(form);
}

/** The prefixes that are known, that of new keys first. */
export const keyPrefixes = (): KeyPrefixes => known;

/** How keys of all known prefixes begin, those of new ones first. */
export const keyBeginnings = (): string[] => known.flatMap((prefix) => KEY_MODES.map((mode) => `${prefix}_${mode}_`));

/** Mode and project of a text that has the form of a key. */
export const partsOfKey = (text: string) => forms.key.exec(text)?.slice(1) as [KeyMode, string] | undefined;

/** Whether a text contains something shaped like a key or a token, right or wrong. Such a text must not be stored. */
export const containsApiKey = (text: string): boolean => text.search(forms.all) >= 0;

/** The most characters that are decoded: a whole address, and every body that is read. */
const MAX_DECODED_CHARACTERS = 16 * 1024;

/**
 * The same of a text that may be encoded: by percent signs, however often, or by the escapes of JSON. Takes time in
 * proportion to the text.
 */
export const conveysApiKey = (text: string): boolean =>
  containsApiKey(text) || (ENCODED.test(text) && containsApiKey(decoded(text.slice(0, MAX_DECODED_CHARACTERS))));
const ENCODED = /%|\\u00/;

/** A text without percent encoding: what it is when it is decoded until it no longer changes. Of ASCII alone. */
export function decoded(text: string): string {
  const read: string[] = [];
  // The escapes of JSON for the same characters. The lookbehind keeps the search of many backslashes linear.
  for (const character of text.replaceAll(/(?<!\\)\\+u00/g, '%')) {
    read.push(character);
    // What was decoded may complete what stands before it.
    while (read.at(-3) === '%' && HEX.test(`${read.at(-2)}${read.at(-1)}`)) {
      const [, high, low] = read.splice(-3);
      read.push(String.fromCharCode(parseInt(`${high}${low}`, 16)));
    }
  }
  return read.join('');
}
const HEX = /^[0-9a-f]{2}$/i;
/** Whether a text holds the beginning of a key or a token, in capitals, too: hosts are written without them. */
export const beginsCredential = (text: string): boolean => forms.beginning.test(text);

/** A text without anything shaped like a key or a token, fit to be shown: of each its prefix alone. */
export const withoutApiKeys = (text: string): string =>
  text.replaceAll(forms.all, (found) => found.replace(/_.*/, '_…'));
