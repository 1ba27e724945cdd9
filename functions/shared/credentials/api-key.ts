import { createHash, createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { crc32 } from 'node:zlib';
import {
  CHECKSUM_LENGTH,
  KEY_CHARACTERS,
  keyBeginnings,
  keyPrefixes,
  partsOfKey,
  PROJECT_ID_LENGTH,
  RANDOM_LENGTH,
  TAG_LENGTH,
  TOKEN_CHARACTERS,
  TOKEN_PREFIX,
  type KeyMode,
} from './credential-text.ts';
import { encodeBase62, randomBase62, BASE, type RandomBytes } from '../ids.ts';
import { SettingsError } from '../settings/named-value.ts';

/** What a well-formed key contains. It does not show whether such a key was ever made. */
export interface ParsedApiKey {
  readonly mode: KeyMode;
  readonly projectId: string;
  /** SHA-256 of the whole key in lower-case hex: the only form in which a key is stored. */
  readonly hash: string;
}

/** A new project id: 12 base62 characters. It is part of every key of the project. */
export const generateProjectId = (randomBytes: RandomBytes): string => randomBase62(PROJECT_ID_LENGTH, randomBytes);

/** A new key, `<prefix>_<mode>_<projectId><secret><checksum>`: newest prefix, tagged under the newest secret. */
export function generateApiKey(
  mode: KeyMode,
  projectId: string,
  [tagSecret]: KeyTagSecrets,
  randomBytes: RandomBytes,
): string {
  const untagged = `${keyPrefixes()[0]}_${mode}_${projectId}${randomBase62(RANDOM_LENGTH, randomBytes)}`;
  const unsigned = untagged + keyTag(untagged, tagSecret);
  return unsigned + checksum(unsigned);
}

/** Reads a key; undefined when its shape or checksum is wrong. The tag is not checked here. */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  const parts = partsOfKey(text);
  if (!parts || checksum(text.slice(0, -CHECKSUM_LENGTH)) !== text.slice(-CHECKSUM_LENGTH)) return undefined;
  const [mode, projectId] = parts;
  return { mode, projectId, hash: hashApiKey(text) };
}

/**
 * Whether a well-formed key was made under one of these secrets. A key with another tag was never made here, and is
 * refused without I/O. The checksum is public, so without tags a flood of forged keys would reach the partitions of any
 * project.
 */
export function hasKeyTag(key: string, secrets: KeyTagSecrets): boolean {
  const unsigned = key.slice(0, -CHECKSUM_LENGTH);
  return isKeyTag(unsigned.slice(-TAG_LENGTH), unsigned.slice(0, -TAG_LENGTH), secrets);
}

/** The digest under which a key is stored. A fast hash suffices: the input has 95 random bits. */
export const hashApiKey = (key: string): string => createHash('sha256').update(key).digest('hex');

/** The last four characters. Lists show them, so that a person can distinguish keys. */
export const lastFour = (key: string): string => key.slice(-4);

/** CRC-32 in base62. Public, for secret scanners; it proves nothing. */
export const checksum = (text: string): string => encodeBase62(crc32(text), CHECKSUM_LENGTH);

/** The content of an `Authorization` header. */
export type Credentials = ParsedApiKey | 'missing' | 'invalid';

/**
 * Reads the `Authorization` header (RFC 6750, section 2.1; the scheme is case-insensitive, RFC 9110, section 11.1). No
 * header, or an empty one, is `missing`. Anything else without a well-formed key of this stage is `invalid`. Costs no
 * I/O.
 */
export function readCredentials(authorization: string | undefined, secrets: KeyTagSecrets): Credentials {
  if (authorization === undefined || authorization.trim() === '') return 'missing';
  const token = /^bearer +([^ ]+) *$/i.exec(authorization)?.[1] ?? '';
  const key = parseApiKey(token);
  return key && hasKeyTag(token, secrets) ? key : 'invalid';
}

/** Fewest characters of a secret: 190 bits when they are random base62. */
const MIN_SECRET_CHARACTERS = 32;
/** How many tags there are. */
const TAGS = BigInt(BASE) ** BigInt(TAG_LENGTH);
/** Base62 and the further characters of base64: none needs quotes, and none is a comma. */
const SECRET = /^[0-9A-Za-z+/=_-]+$/;

/**
 * The secrets of a stage under which keys are tagged. A key is made with the first, the newest. A tag under any of them
 * is valid, so the secret can be changed without ending keys. They protect cost and other projects, and not access: a
 * leaked secret allows keys that only the database refuses.
 */
export type KeyTagSecrets = readonly [KeyObject, ...KeyObject[]];

/**
 * Reads secrets as `ENVIRONMENT.keyTagSecrets` has them: newest first, separated by commas. Throws `SettingsError`,
 * which shows none of them.
 */
export function readKeyTagSecrets(name: string, text: string): KeyTagSecrets {
  const read = (secret: string): KeyObject => {
    if (secret.length >= MIN_SECRET_CHARACTERS && SECRET.test(secret)) return createSecretKey(secret, 'utf8');
    throw new SettingsError(
      `${name} must be one or more secrets, newest first, with commas between: ` +
        `each at least ${MIN_SECRET_CHARACTERS} characters of base62 or base64.`,
    );
  };
  const [newest = '', ...older] = text.split(',');
  return [read(newest), ...older.map(read)];
}

/** The tag of a text: HMAC-SHA-256, truncated to 64 bits and folded onto 8 base62 characters (a bias of 10⁻⁵). */
export function keyTag(text: string, secret: KeyObject): string {
  const mac = createHmac('sha256', secret).update(text).digest();
  return encodeBase62(Number(mac.readBigUInt64BE() % TAGS), TAG_LENGTH);
}

/**
 * Whether a tag of 8 ASCII characters is that of a text under one of the secrets. The comparison takes constant time.
 */
export function isKeyTag(tag: string, text: string, secrets: KeyTagSecrets): boolean {
  const given = Buffer.from(tag, 'latin1');
  return secrets.some((secret) => timingSafeEqual(given, Buffer.from(keyTag(text, secret), 'latin1')));
}

/** The other uses of a secret of the stage, beside tags of keys. The same text has another hash for each. */
type Purpose =
  | 'derived id'
  | 'derived secret'
  | 'fingerprint'
  | 'idempotency tag'
  | 'invited address'
  | 'mailed address'
  | 'stop of mails'
  | 'use of limits'
  | 'webhook secret';

/**
 * HMAC-SHA-256 of texts under a secret of the stage: 32 bytes that nobody can compute without it. No tagged text has
 * the same beginning, so none of them is a tag.
 */
export const keyedHash = (secret: KeyObject, purpose: Purpose, texts: readonly string[]): Buffer =>
  createHmac('sha256', secret)
    .update(JSON.stringify([purpose, ...texts]))
    .digest();

/** What an `Authorization` header has to hold, and what is often sent instead. */
export interface Credential {
  readonly name: string;
  /** How one may begin; the first two are told. */
  readonly beginnings: () => readonly string[];
  /** Characters after that. */
  readonly characters: number;
  /** Other credentials of ours, by their beginnings, with a sentence about where they belong. */
  readonly others: () => readonly (readonly [beginning: string, belongs: string])[];
}

const SESSION = ['usr_', 'This is a session of the portal, which counts there alone.'] as const;

export const API_KEY: Credential = {
  name: 'API key',
  beginnings: keyBeginnings,
  characters: KEY_CHARACTERS,
  others: () => [
    [TOKEN_PREFIX, "This is a management token, which belongs to /manage/v1 at the portal's address."],
    ['key_', 'This is the id of a key, and not the key.'],
    SESSION,
  ],
};

export const MANAGEMENT_TOKEN: Credential = {
  name: 'management token',
  beginnings: () => [TOKEN_PREFIX],
  characters: TOKEN_CHARACTERS,
  others: () => [
    ...keyBeginnings().map((beginning) => [beginning, 'This is an API key, which belongs to the gateway.'] as const),
    ['tok_', 'This is the id of a token, and not the token.'],
    SESSION,
  ],
};

/** For a header without a value. */
export const emptyFault = ({ name }: Credential): string =>
  `The Authorization header is empty: the variable for the ${name} may not be set. Set it, and send Bearer and its value.`;

/**
 * What is wrong with an `Authorization` header that has a value, as far as its form and the checksum tell, and what to
 * do. It holds no part of the header. Undefined: the form is right, so no such credential is known.
 */
export function authorizationFault(
  authorization: string,
  { name, beginnings, others, characters: afterIt }: Credential,
): string | undefined {
  const [, scheme = '', text = ''] = /^([^ ]*) *(.*)$/s.exec(authorization.trim()) ?? [];
  if (/["'`]|[^\0-\x7F]/.test(authorization))
    return `The Authorization header holds quotes, or characters that no ${name} has. Send Bearer, a space and the ${name} without them.`;
  if (/^basic$/i.test(scheme))
    return `This is Basic authentication, as of curl -u. Send the ${name} in the header Authorization, after the word Bearer.`;
  if (!/^bearer$/i.test(scheme))
    return `The Authorization header does not begin with the word Bearer and a space. Put them before the ${name}.`;
  if (text === '')
    return `Nothing follows the word Bearer: the variable for the ${name} may not be set. Set it, and send its value.`;
  if (/[$%{<]|^(undefined|null|none)$/i.test(text))
    return `The name of a variable stands where the ${name} belongs, or a placeholder. Set the variable, and send its value: a shell replaces it in double quotes only.`;
  if (/[\s,]/.test(text)) return `More than the ${name} follows the word Bearer. Send the ${name} alone, once.`;
  const begins = beginnings();
  const beginning = begins.find((one) => text.startsWith(one));
  const characters = (beginning ?? begins[0] ?? '').length + afterIt;
  if (beginning === undefined) {
    const [, other] = others().find(([one]) => text.startsWith(one)) ?? [];
    if (other !== undefined) return `${other} Send ${name === 'API key' ? 'an' : 'a'} ${name} here.`;
    return `This is no ${name}: one begins with ${begins.slice(0, 2).join(' or ')} and has ${characters} characters. Copy it again.`;
  }
  const { length } = text;
  if (length < characters)
    return `The ${name} is cut off: it has ${length} of ${characters} characters. Copy all of it again.`;
  if (length > characters)
    return `The ${name} is too long: it has ${length} characters instead of ${characters}. Copy it again, alone.`;
  if (checksum(text.slice(0, -CHECKSUM_LENGTH)) !== text.slice(-CHECKSUM_LENGTH))
    return `A character of the ${name} is wrong: its checksum does not match. Copy it again instead of typing it.`;
  return undefined;
}
