import { beginsCredential, decoded } from '../../shared/credentials/credential-text.ts';

/** It is stored, with the key and in the audit. A longer one is left out. */
const MAX_URL_CHARACTERS = 300;

/**
 * Where a key was found, from an untrusted address: origin and path of an https address, without user, query and
 * fragment. Undefined where that is none, is too long, or holds what begins a credential, however often it is encoded,
 * or the secret of this key, whatever stands between its characters.
 */
export function foundAtOf(url: string | undefined, key: string): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  // Without tabs and line ends, which may have stood within a key.
  const { protocol, origin, pathname } = new URL(url);
  const address = origin + pathname;
  if (protocol !== 'https:' || address.length > MAX_URL_CHARACTERS) return undefined;
  // Decoded once more without what is not seen, which may stand within an escape.
  const text = decoded(decoded(address).replaceAll(/[\s\p{Cc}]/gu, ''));
  const holdsKey = text.replaceAll(/[^0-9A-Za-z]/g, '').includes(key.slice(key.lastIndexOf('_') + 1));
  return holdsKey || beginsCredential(text) ? undefined : address;
}
