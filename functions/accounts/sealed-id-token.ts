import { createCipheriv, createDecipheriv, hkdfSync, type KeyObject } from 'node:crypto';
import type { KeyTagSecrets } from '../core/api-key.ts';
import type { RandomBytes } from '../core/ids.ts';

/*
 * The ID token of a session is personal data, and every reader of the table's stream sees every item. So it is stored
 * under AES-256-GCM. Only the portal's functions can derive the key. It is bound to its session: in another item it
 * cannot be read.
 */

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** The label of this key. No other use of the stage's secret has it. */
const LABEL = 'sandbox-gateway: ID token of a session';

const keyFrom = (secret: KeyObject): Buffer => Buffer.from(hkdfSync('sha256', secret, '', LABEL, KEY_BYTES));

/**
 * The token as it is stored, 28 bytes longer.
 *
 * @param session what it is bound to: the hash of the session's secret
 */
export function sealIdToken(
  idToken: string,
  session: string,
  secrets: KeyTagSecrets,
  randomBytes: RandomBytes,
): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyFrom(secrets[0]), nonce).setAAD(Buffer.from(session));
  return Buffer.concat([nonce, cipher.update(idToken), cipher.final(), cipher.getAuthTag()]);
}

/** The token in clear; undefined: it was sealed under another secret or for another session, or was changed. */
export function openIdToken(sealed: Uint8Array, session: string, secrets: KeyTagSecrets): string | undefined {
  const bytes = Buffer.from(sealed);
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  for (const secret of secrets) {
    const decipher = createDecipheriv(CIPHER, keyFrom(secret), bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(session)).setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([text, decipher.final()]).toString();
    } catch {
      // It is sealed under another secret, which the stage has changed meanwhile.
    }
  }
  return undefined;
}
