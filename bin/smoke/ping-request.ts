import { PING_PATH } from '../../functions/operations/ping.ts';
import type { SmokeRequest } from './http-client.ts';

/** A ping with a body as it is, without a key. */
export const pingRequest = (body: string, headers: Readonly<Record<string, string>> = {}): SmokeRequest => ({
  method: 'POST',
  path: PING_PATH,
  headers: { 'Content-Type': 'application/json', ...headers },
  body,
});
