import { hasKeyTag, parseApiKey, type ParsedApiKey } from './api-key.ts';
import type { KeyTagSecrets } from './key-tag.ts';

/** What an `Authorization` header holds. */
export type Credentials = ParsedApiKey | 'missing' | 'invalid';

/**
 * Reads the `Authorization` header (RFC 6750, section 2.1; the scheme's case does not matter, RFC 9110, section 11.1).
 * No header, or an empty one, is `missing`; anything else that holds no well-formed key of this stage is `invalid`.
 * Costs no I/O.
 */
export function readCredentials(authorization: string | undefined, secrets: KeyTagSecrets): Credentials {
  if (authorization === undefined || authorization.trim() === '') return 'missing';
  const token = /^bearer +([^ ]+) *$/i.exec(authorization)?.[1] ?? '';
  const key = parseApiKey(token);
  return key && hasKeyTag(token, secrets) ? key : 'invalid';
}
