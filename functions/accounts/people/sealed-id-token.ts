import type { KeyTagSecrets } from '../../shared/rules/credentials/api-key.ts';
import type { RandomBytes } from '../../shared/rules/ids.ts';
import { seal, unseal, type SealedAs } from '../sealing.ts';

/* The ID token of a session is personal data. It is bound to its session, and cannot be decrypted in another item. */
const of = (session: string): SealedAs => ({ label: 'sandbox-gateway: ID token of a session', boundTo: session });

/**
 * The token as it is stored, 28 bytes longer.
 *
 * @param session what it is bound to: the hash of the session's secret
 */
export const sealIdToken = (
  idToken: string,
  session: string,
  secrets: KeyTagSecrets,
  randomBytes: RandomBytes,
): Uint8Array => seal(idToken, of(session), secrets, randomBytes);

/** The token in clear; undefined: it was sealed under another secret or for another session, or was changed. */
export const openIdToken = (sealed: Uint8Array, session: string, secrets: KeyTagSecrets): string | undefined =>
  unseal(sealed, of(session), secrets)?.toString();
