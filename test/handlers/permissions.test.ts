import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { PING_PATH } from '../../functions/operations/ping.ts';
import { revokeKey } from '../../functions/accounts/api-keys.ts';
import { updateProject } from '../../functions/accounts/projects.ts';
import { LOCAL_KEY_TAG_SECRET, LOCAL_TABLES, localAddress } from '../../local/settings.ts';
import { testGateway, tenant } from '../support/gateway.ts';
import { httpEvent, invoke } from '../support/http.ts';
import { grantsOf, guard, isAllowed, policyOf, usesOf, type Permission } from '../support/iam.ts';

declare const ENGINE: string;

const policy = policyOf('metered');
const used = new Set<string>();
const denied: Permission[] = [];
const onCall = (permission: Permission, allowed: boolean): void => {
  // A start swallows its own failures: a denial would not show otherwise.
  if (!allowed) denied.push(permission);
  for (const grant of usesOf(policy, permission)) used.add(grant);
};
const MINUTE_MS = 60_000;

const environment = { ...process.env };
beforeAll(() => {
  const { region = '', credentials } = localAddress(0);
  Object.assign(process.env, {
    ...{ GATEWAY_TABLE: LOCAL_TABLES.gateway, USAGE_TABLE: LOCAL_TABLES.usage, POWERTOOLS_LOG_LEVEL: 'SILENT' },
    KEY_TAG_SECRETS: LOCAL_KEY_TAG_SECRET,
    ...{ AWS_ENDPOINT_URL_DYNAMODB: environment[`TEST_ENDPOINT_${ENGINE}`], AWS_REGION: region },
    ...{ AWS_ACCESS_KEY_ID: credentials?.accessKeyId, AWS_SECRET_ACCESS_KEY: credentials?.secretAccessKey },
    POWERTOOLS_METRICS_DISABLED: 'true',
  });
});
afterAll(() => {
  process.env = environment;
});

/** The entry point as Lambda loads it, its start included, behind the policy. */
async function loadEntryPoint() {
  const from = DynamoDBDocumentClient.from.bind(DynamoDBDocumentClient);
  jest.spyOn(DynamoDBDocumentClient, 'from').mockImplementation((client, config) => {
    guard(client, policy, onCall);
    return from(client, config);
  });
  const { handler } = await import('../../functions/metered/handler.ts');
  jest.restoreAllMocks();
  return handler;
}

describe('the metered function', () => {
  test('is granted exactly what it does: no less, or a request would fail, and no more', async () => {
    const gateway = testGateway({ onCall });
    const { ping, clock, plane } = gateway;

    // The start, and one request through the entry point itself.
    const { key } = await tenant(gateway);
    const handler = await loadEntryPoint();
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
    // A window in the slot of sixteen minutes ago is the one that takes a second write.
    clock.nowMs += 16 * MINUTE_MS;
    expect((await ping(small.key, { ...keyed, body: { clientRequestId: 'x' } })).body.code).toBe(
      'IDEMPOTENCY_CONFLICT',
    );
    const hot = await tenant(gateway);
    await updateProject(plane, hot.projectId, { shards: 2 });
    for (let n = 0; n < 2; n++) expect((await ping(hot.key)).status).toBe(200);
    await revokeKey(plane, small.projectId, small.keyId);
    expect((await ping(small.key)).body.code).toBe('API_KEY_REVOKED');

    expect(denied).toEqual([]);
    expect([...used].sort()).toEqual(grantsOf(policy).sort());
  });

  test.each([
    ['reads of accounts', { table: 'gateway', action: 'dynamodb:BatchGetItem', leadingKeys: ['ACCOUNT#a'] }],
    [
      'a batch with one account in it',
      { table: 'gateway', action: 'dynamodb:BatchGetItem', leadingKeys: ['PROJECT#p', 'ACCOUNTS'] },
    ],
    ['making a key', { table: 'gateway', action: 'dynamodb:PutItem', leadingKeys: ['KEY#hash'] }],
    ['reading a key', { table: 'gateway', action: 'dynamodb:GetItem', leadingKeys: ['KEY#hash'] }],
    ['deleting', { table: 'gateway', action: 'dynamodb:DeleteItem', leadingKeys: ['PROJECT#p'] }],
    ['reading the usage log', { table: 'usage', action: 'dynamodb:GetItem', leadingKeys: ['p'] }],
    ['changing the usage log', { table: 'usage', action: 'dynamodb:UpdateItem', leadingKeys: ['p'] }],
  ] as const)('is refused %s', (_what, permission) => {
    expect(isAllowed(policy, permission)).toBe(false);
  });
});
