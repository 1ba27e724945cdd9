import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { BASE, encodeBase62 } from './base62.ts';
import { SettingsError } from './named-value.ts';

/** Characters of a tag: 47.6 bits, so that of 10¹⁴ forged keys one gets as far as the database. */
export const TAG_LENGTH = 8;
/** Fewest characters of a secret: 190 bits when they are random base62. */
const MIN_SECRET_CHARACTERS = 32;
/** How many tags there are. */
const TAGS = BigInt(BASE) ** BigInt(TAG_LENGTH);
/** Base62 and what base64 adds: nothing that would have to be quoted, and no comma. */
const SECRET = /^[0-9A-Za-z+/=_-]+$/;

/**
 * The secrets of a stage under which keys are tagged. A key is made with the first, the newest; a tag under any of them
 * is right, so that the secret can be changed without ending keys. They protect cost and neighbours, not authentication:
 * whoever knows one can make keys that the database has to refuse, and none that it takes.
 */
export type KeyTagSecrets = readonly [KeyObject, ...KeyObject[]];

/** Reads secrets as `ENVIRONMENT.keyTagSecrets` has them: newest first, with commas between. Throws `SettingsError`, without showing any. */
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

/** Whether a tag of 8 ASCII characters is that of a text under one of the secrets. Takes as long for every wrong one. */
export function isKeyTag(tag: string, text: string, secrets: KeyTagSecrets): boolean {
  const given = Buffer.from(tag, 'latin1');
  return secrets.some((secret) => timingSafeEqual(given, Buffer.from(keyTag(text, secret), 'latin1')));
}
