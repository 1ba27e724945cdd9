import { createHmac, type KeyObject } from 'node:crypto';

/** What a secret of the stage is used for beside tags of keys; the same text has another hash for each. */
type Purpose = 'derived id' | 'fingerprint' | 'use of limits';

/**
 * HMAC-SHA-256 of some texts under a secret of the stage: 32 bytes that nobody without it can find out by trying. No
 * text that is tagged begins as these do, so none of them is a tag.
 */
export const keyedHash = (secret: KeyObject, purpose: Purpose, texts: readonly string[]): Buffer =>
  createHmac('sha256', secret)
    .update(JSON.stringify([purpose, ...texts]))
    .digest();
