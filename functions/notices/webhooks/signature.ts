import { createHmac } from 'node:crypto';
import { MS_PER_SECOND } from '../../core/clock.ts';

/**
 * The headers of a delivery by Standard Webhooks 1.0.0: its id, the second of this try, and a signature under each of
 * these secrets. A receiver takes the delivery if any of them is right.
 */
export function signedHeaders(
  secrets: readonly Buffer[],
  { id, body, nowMs }: { readonly id: string; readonly body: string; readonly nowMs: number },
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / MS_PER_SECOND));
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}
