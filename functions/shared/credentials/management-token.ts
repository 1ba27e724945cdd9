import { checksum, hashApiKey, isKeyTag, keyTag, type KeyTagSecrets } from './api-key.ts';
import { TAG_LENGTH } from './credential-text.ts';
import { randomBase62, type RandomBytes } from '../ids.ts';

const PREFIX = 'svc_mgmt_';
const ACCOUNT_ID_LENGTH = 16;
/** Random characters of a token: 95 bits, as of a key. */
const RANDOM_LENGTH = 16;
const CHECKSUM_LENGTH = 6;
const TOKEN = new RegExp(
  `^${PREFIX}([0-9A-Za-z]{${ACCOUNT_ID_LENGTH}})[0-9A-Za-z]{${RANDOM_LENGTH + TAG_LENGTH + CHECKSUM_LENGTH}}$`,
);

/** What a token of this stage contains. It does not show whether the token still works. */
export interface ParsedToken {
  readonly accountId: string;
  /** SHA-256 of the whole token in lower-case hex: the only form in which a token is stored. */
  readonly hash: string;
}

/** A new management token, `svc_mgmt_<account><secret><checksum>`: 55 characters, tagged under the newest secret. */
export function generateToken(accountId: string, [newest]: KeyTagSecrets, randomBytes: RandomBytes): string {
  const untagged = `${PREFIX}${accountId.slice('acc_'.length)}${randomBase62(RANDOM_LENGTH, randomBytes)}`;
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
