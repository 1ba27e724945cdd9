import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { DEFAULT_LIMITS } from '../../functions/accounts/limits.ts';
import type { PortalHandler } from '../../functions/portal/lambda.ts';
import { testGateway } from '../support/gateway.ts';
import { httpEvent } from '../support/http.ts';
import { startProvider, type TestProvider } from '../support/identity.ts';
import { LOCAL_KEY_TAG_SECRET, LOCAL_TABLES, localAddress } from '../../local/settings.ts';
import { grantsOf, guard, isAllowed, policyOf, usesOf, type Permission } from '../support/iam.ts';
import { PORTAL, testPortal } from '../support/portal.ts';
import { created, join, person, tenantOf } from '../support/portal-team.ts';
import { testClock } from '../support/reports.ts';
import { noteKeys } from '../support/secrets/journal.ts';

declare const ENGINE: string;

const policy = policyOf('portal');
const used = new Set<string>();
const denied: Permission[] = [];
const onCall = (permission: Permission, allowed: boolean): void => {
  // What goes on beside a request swallows its own failures: a denial would not show otherwise.
  if (!allowed) denied.push(permission);
  for (const grant of usesOf(policy, permission)) used.add(grant);
};
const MINUTE_MS = 60_000;

let provider: TestProvider;
beforeAll(async () => {
  provider = await startProvider(PORTAL);
});
afterAll(() => provider.stop());

describe('the portal’s function', () => {
  test('is granted exactly what it does: no less, or a request would fail, and no more', async () => {
    const portal = testPortal(provider, { onCall });
    const owner = await tenantOf(portal);
    const { browser, accountId, account, project, keyId } = owner;

    // People: seen again, invited, accepted, declined, made owner, removed.
    portal.clock.nowMs += 11 * MINUTE_MS;
    expect((await browser.get('/api/session')).status).toBe(200);
    const member = await join(portal, browser, accountId);
    expect((await browser.patch(`${account}/members/${member.memberId}`, { role: 'owner' })).status).toBe(200);
    const declining = await person(portal, 'declining');
    await created(browser.post(`${account}/members`, { email: declining.email, role: 'member' }));
    expect((await declining.get('/api/session')).body).toMatchObject({ invitations: [{ accountId }] });
    expect((await declining.post(`/api/invitations/${accountId}/decline`)).status).toBe(204);
    expect((await browser.get(`${account}/members`)).status).toBe(200);
    expect((await browser.delete(`${account}/members/${member.memberId}`)).status).toBe(204);

    // Projects and keys, one of them created twice because its answer was lost.
    expect((await browser.patch(project, { name: 'Journeys' })).status).toBe(200);
    expect((await browser.get(`${account}/projects`)).status).toBe(200);
    expect((await browser.get(`${project}/keys`)).status).toBe(200);
    const lost = { body: {}, headers: { 'idempotency-key': '0f0c6a5e-6c2f-4a53-9d3c-3f6c8ad6f6a1' } };
    for (const status of [201, 201]) {
      expect((await browser.request('POST', `${project}/keys`, lost)).status).toBe(status);
    }
    expect((await browser.patch(`${project}/keys/${keyId}`, { name: 'Key' })).status).toBe(200);
    const { keyId: newKeyId = '' } = await created(browser.post(`${project}/keys/${keyId}/rotate`, {}));
    expect((await browser.post(`${project}/keys/${newKeyId}/revoke`)).status).toBe(200);

    // What the ledger tells.
    expect((await browser.get(`${project}/events`)).status).toBe(200);
    expect((await browser.get(`${project}/events/a44f89e6-2760-4a78-958c-786de2921d1b`)).status).toBe(404);

    const since = new Date(portal.clock.nowMs - 48 * 60 * MINUTE_MS).toISOString();
    expect((await browser.get(`${project}/usage`, `since=${since}`)).status).toBe(200);
    expect((await browser.get(`${project}/events.csv`)).status).toBe(200);
    expect((await browser.get(`${account}/audit`)).status).toBe(200);

    // The ends of things.
    const other = portal.browser();
    await other.signIn(browser.email);
    const { sessions } = (await browser.get('/api/sessions')).body as {
      sessions: { sessionId: string; current: boolean }[];
    };
    const ended = sessions.find(({ current }) => !current)?.sessionId;
    expect((await browser.delete(`/api/sessions/${ended}`)).status).toBe(204);
    expect((await member.delete('/api/profile')).status).toBe(204);
    expect((await browser.delete(project)).status).toBe(204);
    expect((await browser.delete(account)).status).toBe(204);
    await browser.signIn(browser.email);
    expect((await browser.post('/api/sign-out', { everywhere: true })).status).toBe(200);
    expect((await declining.get('/api/sessions')).status).toBe(200);
    // Of who has created an account something is left, which they get back.
    const { accountId: closed } = await created(declining.post('/api/accounts', { name: 'Closed' }));
    for (const path of [`/api/accounts/${closed}`, '/api/profile']) {
      expect((await declining.delete(path)).status).toBe(204);
    }
    expect((await declining.signIn(declining.email)).headers.location).toBe('/');

    expect(denied).toEqual([]);
    expect([...used].sort()).toEqual(grantsOf(policy).sort());
  });

  test.each<[string, Permission]>([
    ['writing the usage log', { table: 'usage', action: 'dynamodb:PutItem', leadingKeys: ['p'] }],
    ['changing the usage log', { table: 'usage', action: 'dynamodb:UpdateItem', leadingKeys: ['p'] }],
    ['deleting from the usage log', { table: 'usage', action: 'dynamodb:DeleteItem', leadingKeys: ['p'] }],
    ['deleting a project', { table: 'gateway', action: 'dynamodb:DeleteItem', leadingKeys: ['PROJECT#p'] }],
    ['deleting a kept sum', { table: 'gateway', action: 'dynamodb:DeleteItem', leadingKeys: ['ROLLUP#p'] }],
    ['changing an identity', { table: 'gateway', action: 'dynamodb:UpdateItem', leadingKeys: ['IDENTITY#i'] }],
    ['listing all accounts', { table: 'gateway', action: 'dynamodb:Query', leadingKeys: ['ACCOUNTS'] }],
    ['reading the whole table', { table: 'gateway', action: 'dynamodb:Scan', leadingKeys: [] }],
    [
      'a batch with one key of no kind',
      { table: 'gateway', action: 'dynamodb:BatchGetItem', leadingKeys: ['USER#u', 'X'] },
    ],
  ])('is refused %s', (_what, permission) => {
    expect(isAllowed(policy, permission)).toBe(false);
  });
});

describe('its start', () => {
  const environment = { ...process.env };
  let made: Permission[];
  let handler: PortalHandler;
  beforeAll(async () => {
    const { region = '', credentials } = localAddress(0);
    Object.assign(process.env, {
      ...{ GATEWAY_TABLE: LOCAL_TABLES.gateway, USAGE_TABLE: LOCAL_TABLES.usage, POWERTOOLS_LOG_LEVEL: 'SILENT' },
      ...{ KEY_TAG_SECRETS: LOCAL_KEY_TAG_SECRET, PORTAL_ORIGIN: PORTAL, GATEWAY_URL: 'https://gateway.example.com' },
      ...{
        QUOTA_PERIOD: 'month',
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: provider.clientId,
        OIDC_CLIENT_SECRET: provider.clientSecret,
      },
      ...{ AWS_ENDPOINT_URL_DYNAMODB: environment[`TEST_ENDPOINT_${ENGINE}`], AWS_REGION: region },
      ...{ AWS_ACCESS_KEY_ID: credentials?.accessKeyId, AWS_SECRET_ACCESS_KEY: credentials?.secretAccessKey },
      ...{ POWERTOOLS_METRICS_DISABLED: 'true', PROJECTS_PER_ACCOUNT: '7' },
    });
    const permissions: Permission[] = [];
    const from = DynamoDBDocumentClient.from.bind(DynamoDBDocumentClient);
    jest.spyOn(DynamoDBDocumentClient, 'from').mockImplementation((client, config) => {
      guard(client, policy, (permission, allowed) => {
        permissions.push(permission);
        onCall(permission, allowed);
      });
      return from(client, config);
    });
    ({ handler } = await import('../../functions/portal/handler.ts'));
    jest.restoreAllMocks();
    made = [...permissions];
  });
  afterAll(() => {
    process.env = environment;
  });

  test('does what the policy allows, too', () => {
    expect(made).toHaveLength(1);
    expect(denied).toEqual([]);
  });

  test('makes of its environment what serves a person who is signed in', async () => {
    const clock = testClock(Date.now());
    const { browser, account } = await tenantOf(testPortal(provider, { clock }));
    const ask = async (method: string, path: string, body: unknown = null): Promise<Record<string, unknown>> => {
      const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
      const answer = await handler(httpEvent({ method, path, headers, body, cookies: browser.jar.list() }));
      noteKeys(answer.body ?? '');
      return JSON.parse(answer.body ?? '') as Record<string, unknown>;
    };
    // Made in a period: twice those that may be open.
    const limits = { ...DEFAULT_LIMITS, projectsPerAccount: 7, projectsPerPeriod: 14 };
    const session = { limits, gatewayUrl: 'https://gateway.example.com', stage: 'local' };
    expect(await ask('GET', '/api/session')).toMatchObject(session);
    const { projectId } = await ask('POST', `${account}/projects`, { name: 'New' });
    const project = `${account}/projects/${String(projectId)}`;
    expect(await ask('GET', project)).toMatchObject({ name: 'New', quotaLimit: 10_000 });
    const { key } = await ask('POST', `${project}/keys`, {});
    expect(await ask('GET', `${project}/keys`)).toMatchObject({ keys: [{ rpm: 60 }] });
    // The gateway knows it for one of its own.
    expect((await testGateway({ clock }).ping(String(key))).status).toBe(200);
    expect(denied).toEqual([]);
  });
});
