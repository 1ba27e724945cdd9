import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PING_PATH } from '../../functions/gateway/operations/ping.ts';
import { revokeKey } from '../../functions/accounts/keys/api-keys.ts';
import { updateProject } from '../../functions/accounts/projects/projects.ts';
import { LOCAL_KEY_TAG_SECRET, LOCAL_TABLES } from '../../local/settings.ts';
import { variablesOf } from '../support/iam-proxy/callers.ts';
import { startIamProxy, type IamProxy } from '../support/iam-proxy/proxy.ts';
import { testGateway, tenant } from '../support/gateway.ts';
import { httpEvent, invoke } from '../support/http.ts';
import { grantsOf, policyOf, usesOf } from '../support/iam.ts';

declare const ENGINE: string;

const policy = policyOf('metered');
const used = new Set<string>();
const MINUTE_MS = 60_000;

let iamProxy: IamProxy;
beforeAll(async () => {
  const endpoint = `TEST_ENDPOINT_${ENGINE}`;
  // An IAM proxy before the run's own, which reports what each call uses.
  iamProxy = await startIamProxy(process.env[endpoint] ?? '', (permission) => {
    for (const grant of usesOf(policy, permission)) used.add(grant);
  });
  Object.assign(process.env, {
    GATEWAY_TABLE: LOCAL_TABLES.gateway,
    USAGE_TABLE: LOCAL_TABLES.usage,
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    KEY_TAG_SECRETS: LOCAL_KEY_TAG_SECRET,
    POWERTOOLS_METRICS_DISABLED: 'true',
    [endpoint]: iamProxy.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: iamProxy.endpoint,
    ...variablesOf('metered'),
  });
});
// No call was refused, not even at the start, whose failures do not show.
afterAll(() => iamProxy.close());

describe('the metered function', () => {
  test('is granted exactly what it does: no less, or a request would fail, and no more', async () => {
    const gateway = testGateway();
    const { ping, clock, store } = gateway;

    // The start, and one request through the entry point itself.
    const { key } = await tenant(gateway);
    const { handler } = await import('../../functions/gateway/metered.ts');
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const started = used.size;
    expect(started).toBeGreaterThan(0);
    expect((await invoke(handler, httpEvent({ method: 'POST', path: PING_PATH, headers }))).status).toBe(200);

    // Every other path of a request.
    const small = await tenant(gateway, { quotaLimit: 1, rpm: 3 });
    const keyed = { headers: { 'idempotency-key': 'idempotency-key-a' } };
    expect((await ping(small.key, keyed)).status).toBe(200);
    expect((await ping(small.key, keyed)).headers['x-service-idempotency-replayed']).toBe('true');
    expect((await ping(small.key, { headers: { 'idempotency-key': 'idempotency-key-b' } })).body.code).toBe(
      'QUOTA_EXCEEDED',
    );
    expect((await ping(small.key)).body.code).toBe('RATE_LIMIT_EXCEEDED');
    // A window in the slot of sixteen minutes ago needs a second write.
    clock.nowMs += 16 * MINUTE_MS;
    expect((await ping(small.key, { ...keyed, body: { clientRequestId: 'x' } })).body.code).toBe(
      'IDEMPOTENCY_CONFLICT',
    );
    const hot = await tenant(gateway);
    await updateProject(store, hot.projectId, { shards: 2 });
    for (let n = 0; n < 2; n++) expect((await ping(hot.key)).status).toBe(200);
    await revokeKey(store, small.projectId, small.keyId);
    expect((await ping(small.key)).body.code).toBe('API_KEY_REVOKED');

    expect([...used].sort()).toEqual(grantsOf(policy).sort());
  });
});
