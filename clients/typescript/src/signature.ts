import { createHmac } from 'node:crypto';

/** Secrets of Standard Webhooks have 24 bytes at least; those of the portal have 32. */
const MIN_SECRET_BYTES = 24;

export function secretBytes(secret: string): Buffer {
  const text = typeof secret === 'string' ? secret.trim().replace(/^whsec_/, '') : '';
  const bytes = /^[A-Za-z0-9+/]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : Buffer.of();
  if (bytes.length >= MIN_SECRET_BYTES) return bytes;
  throw new TypeError('The secret of the webhook is missing or is none: the portal shows it once, as whsec_…');
}

/** What a delivery is signed with (Standard Webhooks 1.0.0). */
export const signatureOf = (key: Buffer, id: string, timestamp: string, body: string | Uint8Array): Buffer =>
  createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
