import { createCipheriv, createDecipheriv, hkdfSync, type KeyObject } from 'node:crypto';
import type { KeyTagSecrets } from '../../shared/credentials/api-key.ts';
import type { RandomBytes } from '../../shared/ids.ts';

/*
 * Whoever reads the table's stream sees every item. So secret content is encrypted with AES-256-GCM. Only functions
 * with the stage's secret can derive the key.
 */

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The purpose and the place of sealed content. */
export interface SealedAs {
  /** The purpose for which the key is derived: no other use of the stage's secret has this label. */
  readonly label: string;
  /** The place of the content. It cannot be decrypted in another place. */
  readonly boundTo: string;
}

const keyFrom = (secret: KeyObject, label: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', label, KEY_BYTES));

/** The content as it is stored, 28 bytes longer: sealed under the newest secret. */
export function seal(
  content: string | Uint8Array,
  { label, boundTo }: SealedAs,
  [newest]: KeyTagSecrets,
  randomBytes: RandomBytes,
): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyFrom(newest, label), nonce).setAAD(Buffer.from(boundTo));
  return Buffer.concat([nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()]);
}

/** The content in clear; undefined: it was sealed under another secret or in another place, or was changed. */
export function unseal(sealed: Uint8Array, { label, boundTo }: SealedAs, secrets: KeyTagSecrets): Buffer | undefined {
  const bytes = Buffer.from(sealed);
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  for (const secret of secrets) {
    const decipher = createDecipheriv(CIPHER, keyFrom(secret, label), bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(boundTo)).setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const content = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
      return Buffer.concat([content, decipher.final()]);
    } catch {
      // It was sealed under another secret of the stage: try the next one.
    }
  }
  return undefined;
}
