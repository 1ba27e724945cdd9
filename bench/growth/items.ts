import { randomBytes, randomUUID } from 'node:crypto';
import {
  generateApiKey,
  generateProjectId,
  hashApiKey,
  SANDBOX_MODE,
  SANDBOX_SCOPE,
} from '../../functions/core/api-key.ts';
import { isoTime, MS_PER_DAY, MS_PER_SECOND } from '../../functions/core/clock.ts';
import { generateKeyId } from '../../functions/core/ids.ts';
import { periodAt } from '../../functions/core/period.ts';
import { itemKey, type ItemKey } from '../../functions/store/table-items.ts';
import { LOCAL_KEY_TAG_SECRETS } from '../../local/settings.ts';
import { AMPLE } from '../subject.ts';

export type Item = ItemKey & Readonly<Record<string, unknown>>;

/** A project of the filled tables, with its key. */
export interface Tenant {
  readonly projectId: string;
  readonly key: string;
}

export const newTenant = (): Tenant => {
  const projectId = generateProjectId(randomBytes);
  return { projectId, key: generateApiKey(SANDBOX_MODE, projectId, LOCAL_KEY_TAG_SECRETS, randomBytes) };
};

/** What a project that was used a little has in the Gateway table: itself, its key, its counter. */
export function tenantItems({ projectId, key }: Tenant, nowMs: number): Item[] {
  const { id } = periodAt(nowMs, 'month');
  return [
    { ...itemKey.project(projectId), projectId, name: 'Bench', status: 'active', quotaLimit: AMPLE.quotaLimit },
    {
      ...itemKey.apiKey(hashApiKey(key)),
      ...{ keyId: generateKeyId(randomBytes), projectId, mode: SANDBOX_MODE, scopes: new Set([SANDBOX_SCOPE]) },
      ...{ status: 'active', rpm: AMPLE.rpm },
    },
    { ...itemKey.quota(projectId, id), units: 1 },
  ];
}

/** A replay record as an earlier ping left it. */
export const replayItem = ({ projectId }: Tenant, nowMs: number): Item => ({
  ...itemKey.replay(projectId, randomBytes(32).toString('hex')),
  ...{ fingerprint: randomBytes(32).toString('hex'), status: 200 },
  body: JSON.stringify({ ok: true, mode: 'sandbox', message: 'Sandbox gateway is ready.', requestId: randomUUID() }),
  ttl: Math.floor((nowMs + MS_PER_DAY) / MS_PER_SECOND),
});

/** A usage event of an earlier ping, `number` milliseconds ago. */
export function usageItem({ projectId }: Tenant, nowMs: number, number: number): Item {
  const occurredAt = isoTime(nowMs - number);
  const requestId = randomUUID();
  return {
    ...{ pk: projectId, sk: `${occurredAt}#${requestId}`, requestId, projectId, keyId: 'key_9aBcD3fGhJ5kLmN7' },
    ...{ event: 'request_succeeded', operation: 'sandbox.ping', status: 200, code: null, units: 1 },
    ...{ period: periodAt(nowMs, 'month').id, latencyMs: 4, inputTokens: null, outputTokens: null, totalTokens: null },
    ...{ clientRequestId: null, occurredAt, ttl: Math.floor((nowMs + 400 * MS_PER_DAY) / MS_PER_SECOND) },
  };
}
