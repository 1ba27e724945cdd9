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
/** A key, with its mode and its project as groups. */
export const KEY_PATTERN = `svc_(test|live)_([0-9A-Za-z]{${PROJECT_ID_LENGTH}})[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}`;
/** A key, or a management token, which has an account's id instead of a project's. */
const CREDENTIAL = `${KEY_PATTERN}|svc_mgmt_[0-9A-Za-z]{46}`;
const CREDENTIAL_ANYWHERE = new RegExp(CREDENTIAL);

/** Whether a text contains something shaped like a key or a token, right or wrong. Such a text must not be stored. */
export const containsApiKey = (text: string): boolean => CREDENTIAL_ANYWHERE.test(text);

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
export const beginsCredential = (text: string): boolean => /svc_(test|live|mgmt)_/i.test(text);

/** A text without anything shaped like a key or a token, fit to be shown. */
export const withoutApiKeys = (text: string): string => text.replaceAll(new RegExp(CREDENTIAL, 'g'), 'svc_…');
