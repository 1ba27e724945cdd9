/** What keys and tokens look like as text. How they are made is apart: a schema for a browser needs no cryptography. */

/** Test and live keys are separate (docs/api/quick-start.md, "Your key"). */
export const KEY_MODES = ['test', 'live'] as const;
export type KeyMode = (typeof KEY_MODES)[number];

/** The scope a ping needs (docs/api/quick-start.md, "Your key"). */
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

/** Whether a text holds the beginning of a key or a token, in capitals, too: hosts are written without them. */
export const beginsCredential = (text: string): boolean => /svc_(test|live|mgmt)_/i.test(text);

/** A text without anything shaped like a key or a token, fit to be shown. */
export const withoutApiKeys = (text: string): string => text.replaceAll(new RegExp(CREDENTIAL, 'g'), 'svc_…');
