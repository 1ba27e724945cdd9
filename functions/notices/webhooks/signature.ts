import { createHmac } from 'node:crypto';
import { MS_PER_SECOND } from '../../shared/rules/clock.ts';

/**
 * The headers of a delivery by Standard Webhooks 1.0.0: its id, the time of this attempt in epoch seconds, and a
 * signature under each of the secrets. A receiver accepts the delivery if any signature is right.
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
