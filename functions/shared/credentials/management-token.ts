import { checksum, hashApiKey, isKeyTag, keyTag, type KeyTagSecrets } from './api-key.ts';
import {
  ACCOUNT_ID_LENGTH,
  CHECKSUM_LENGTH,
  RANDOM_LENGTH,
  TAG_LENGTH,
  TOKEN_CHARACTERS,
  TOKEN_PREFIX,
} from './credential-text.ts';
import { randomBase62, type RandomBytes } from '../ids.ts';

const TOKEN = new RegExp(
  `^${TOKEN_PREFIX}([0-9A-Za-z]{${ACCOUNT_ID_LENGTH}})[0-9A-Za-z]{${TOKEN_CHARACTERS - ACCOUNT_ID_LENGTH}}$`,
);

/** What a token of this stage contains. It does not show whether the token still works. */
export interface ParsedToken {
  readonly accountId: string;
  /** SHA-256 of the whole token in lower-case hex: the only form in which a token is stored. */
  readonly hash: string;
}

/** A new management token, `svc_mgmt_<account><secret><checksum>`: 55 characters, tagged under the newest secret. */
export function generateToken(accountId: string, [newest]: KeyTagSecrets, randomBytes: RandomBytes): string {
  const untagged = `${TOKEN_PREFIX}${accountId.slice('acc_'.length)}${randomBase62(RANDOM_LENGTH, randomBytes)}`;
  const unsigned = untagged + keyTag(untagged, newest);
  return unsigned + checksum(unsigned);
}

/** The digest under which a token is stored. A fast hash suffices: the input has 95 random bits. */
export const hashToken = hashApiKey;

/** Reads a token that was made under one of these secrets; undefined: none was made so. Costs no I/O. */
export function parseToken(text: string, secrets: KeyTagSecrets): ParsedToken | undefined {
  const [, account] = TOKEN.exec(text) ?? [];
  const unsigned = text.slice(0, -CHECKSUM_LENGTH);
  if (account === undefined || checksum(unsigned) !== text.slice(-CHECKSUM_LENGTH)) return undefined;
  if (!isKeyTag(unsigned.slice(-TAG_LENGTH), unsigned.slice(0, -TAG_LENGTH), secrets)) return undefined;
  return { accountId: `acc_${account}`, hash: hashToken(text) };
}
