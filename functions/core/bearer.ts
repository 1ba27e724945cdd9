import { parseApiKey, type ParsedApiKey } from './api-key.ts';

/** What an `Authorization` header holds. */
export type Credentials = ParsedApiKey | 'missing' | 'invalid';

/**
 * Reads the `Authorization` header (RFC 6750, section 2.1; the scheme's case does not matter, RFC 9110, section 11.1).
 * No header, or an empty one, is `missing`; anything else that holds no well-formed key is `invalid`.
 */
export function readCredentials(authorization: string | undefined): Credentials {
  if (authorization === undefined || authorization.trim() === '') return 'missing';
  const token = /^bearer +([^ ]+) *$/i.exec(authorization)?.[1];
  return (token === undefined ? undefined : parseApiKey(token)) ?? 'invalid';
}
