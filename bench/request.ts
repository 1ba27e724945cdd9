import { randomBytes } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { generateApiKey, generateProjectId, type KeyTagSecrets } from '../functions/shared/credentials/api-key.ts';
import { SANDBOX_MODE } from '../functions/shared/credentials/credential-text.ts';
import type { HttpEvent } from '../functions/gateway/middleware/request-state.ts';
import { PING_PATH } from '../functions/gateway/operations/ping.ts';
import { routeKeyOf } from '../functions/shared/names.ts';
import { LOCAL_KEY_TAG_SECRETS } from '../local/settings.ts';

/** The only member of Lambda's context that Powertools uses. */
export const TIME_LEFT = { getRemainingTimeInMillis: () => 5_000 } satisfies Partial<Context>;

/** A new key of a new project, tagged under these secrets. Neither is stored. */
export function generateKey(secrets: KeyTagSecrets = LOCAL_KEY_TAG_SECRETS) {
  const projectId = generateProjectId(randomBytes);
  return { projectId, key: generateApiKey(SANDBOX_MODE, projectId, secrets, randomBytes) };
}

/** A ping as the caller describes it. */
export interface PingWords {
  readonly key: string;
  readonly idempotencyKey?: string | undefined;
  readonly clientRequestId?: string;
}

const pingHeaders = ({ key, idempotencyKey }: PingWords): Record<string, string> => ({
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
  ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
});

/** The payload-2.0 event that API Gateway sends for a ping, with the members that a function reads. */
export function pingEvent(words: PingWords): HttpEvent {
  const http = { method: 'POST', path: PING_PATH, protocol: 'HTTP/1.1', sourceIp: '192.0.2.1', userAgent: 'bench' };
  const routeKey = routeKeyOf(http);
  const event = {
    version: '2.0',
    routeKey,
    rawPath: PING_PATH,
    rawQueryString: '',
    headers: pingHeaders(words),
    requestContext: { http, routeKey, requestId: 'api-gateway-request-id', stage: '$default' },
    body: JSON.stringify({ clientRequestId: words.clientRequestId ?? 'order-7' }),
    isBase64Encoded: false,
  };
  return event as unknown as HttpEvent;
}
