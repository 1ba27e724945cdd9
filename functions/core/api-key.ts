import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { encodeBase62, randomBase62, type RandomBytes } from './base62.ts';
import { isKeyTag, keyTag, TAG_LENGTH, type KeyTagSecrets } from './key-tag.ts';

/** Test and live keys are kept apart (docs/using-the-api.md, "Authentication"). */
export const KEY_MODES = ['test', 'live'] as const;
export type KeyMode = (typeof KEY_MODES)[number];

/** The scope a ping needs (docs/using-the-api.md, "Authentication"). */
export const SANDBOX_SCOPE = 'sandbox:invoke';
/** The only mode of key that the sandbox serves. */
export const SANDBOX_MODE: KeyMode = 'test';

const PROJECT_ID_LENGTH = 12;
/** The secret of a key: so many random characters, 95 bits, and the tag of all that is before it. */
const RANDOM_LENGTH = 16;
const SECRET_LENGTH = RANDOM_LENGTH + TAG_LENGTH;
const CHECKSUM_LENGTH = 6;
const KEY_PATTERN = `svc_(test|live)_([0-9A-Za-z]{${PROJECT_ID_LENGTH}})[0-9A-Za-z]{${SECRET_LENGTH + CHECKSUM_LENGTH}}`;
const WHOLE_KEY = new RegExp(`^${KEY_PATTERN}$`);
const KEY_ANYWHERE = new RegExp(KEY_PATTERN);

/** What the characters of a well-formed key say; nothing about whether such a key was ever made. */
export interface ParsedApiKey {
  readonly mode: KeyMode;
  readonly projectId: string;
  /** SHA-256 of the whole key in lower-case hex: the only form in which a key is stored. */
  readonly hash: string;
}

/** A new project id: 12 base62 characters. It stands in every key of the project. */
export const generateProjectId = (randomBytes: RandomBytes): string => randomBase62(PROJECT_ID_LENGTH, randomBytes);

/** A new key, `svc_<mode>_<projectId><secret><checksum>`: 51 characters, tagged under the newest secret. */
export function generateApiKey(
  mode: KeyMode,
  projectId: string,
  [tagSecret]: KeyTagSecrets,
  randomBytes: RandomBytes,
): string {
  const untagged = `svc_${mode}_${projectId}${randomBase62(RANDOM_LENGTH, randomBytes)}`;
  const unsigned = untagged + keyTag(untagged, tagSecret);
  return unsigned + checksum(unsigned);
}

/** Reads a key, or returns undefined when its shape or checksum is wrong, which says nothing of its tag. */
export function parseApiKey(text: string): ParsedApiKey | undefined {
  const [, mode, projectId] = WHOLE_KEY.exec(text) ?? [];
  if (mode === undefined || projectId === undefined) return undefined;
  if (checksum(text.slice(0, -CHECKSUM_LENGTH)) !== text.slice(-CHECKSUM_LENGTH)) return undefined;
  return { mode: mode as KeyMode, projectId, hash: hashApiKey(text) };
}

/**
 * Whether a well-formed key was made under one of these secrets. Any other was never made here, and needs no I/O to be
 * refused: the checksum is public, and without a tag a flood of forged keys would reach the partitions of any project.
 */
export function hasKeyTag(key: string, secrets: KeyTagSecrets): boolean {
  const unsigned = key.slice(0, -CHECKSUM_LENGTH);
  return isKeyTag(unsigned.slice(-TAG_LENGTH), unsigned.slice(0, -TAG_LENGTH), secrets);
}

/** The digest under which a key is stored. A fast hash suffices: the input has 95 random bits. */
export const hashApiKey = (key: string): string => createHash('sha256').update(key).digest('hex');

/** The last four characters, which lists show so that a person can tell keys apart. */
export const lastFour = (key: string): string => key.slice(-4);

/** Whether a text holds something shaped like a key, right or wrong, which must then not be stored. */
export const containsApiKey = (text: string): boolean => KEY_ANYWHERE.test(text);

/** A text with everything shaped like a key taken out of it, fit to be shown. */
export const withoutApiKeys = (text: string): string => text.replaceAll(new RegExp(KEY_PATTERN, 'g'), 'svc_…');

/** CRC-32 in base62. Public, for secret scanners; it proves nothing. */
const checksum = (text: string): string => encodeBase62(crc32(text), CHECKSUM_LENGTH);
