import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DEFAULT_LIMITS } from '../../functions/accounts/limits.ts';
import type { PortalHandler } from '../../functions/portal/lambda.ts';
import { testGateway } from '../support/gateway.ts';
import { httpEvent } from '../support/http.ts';
import { startProvider, type TestProvider } from '../support/identity.ts';
import { secretText } from '../../functions/portal/runtime.ts';
import { keptSecret } from '../../functions/portal/sign-in/client-secret.ts';
import { LOCAL_KEY_TAG_SECRET, LOCAL_TABLES } from '../../local/settings.ts';
import { variablesOf } from '../support/door/callers.ts';
import { openDoor, type Door } from '../support/door/door.ts';
import type { OnCall } from '../support/door/judgement.ts';
import { grantsOf, isAllowed, policyOf, usesOf, type Permission } from '../support/iam.ts';
import { stopOfMails } from '../support/mails.ts';
import { PORTAL, testPortal } from '../support/portal.ts';
import { created, endpointOf, join, person, tenantOf } from '../support/portal-team.ts';
import { testClock } from '../support/reports.ts';
import { MINUTE_MS } from '../support/times.ts';
import { ALL_SCOPES, program } from '../support/tokens.ts';
import { noteKeys } from '../support/secrets/journal.ts';
import { startSecretsManager, type TestSecretsManager } from '../support/aws-services.ts';

declare const ENGINE: string;

const policy = policyOf('portal');
const used = new Set<string>();
const made: Permission[] = [];
const onCall: OnCall = (permission, _isAllowed, caller) => {
  if (caller !== 'portal') return;
  made.push(permission);
  for (const grant of usesOf(policy, permission)) used.add(grant);
};
const SECRET_ARN = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:portal-AbCdEf';

let provider: TestProvider;
let door: Door;
let secretsManager: TestSecretsManager;
beforeAll(async () => {
  const endpoint = `TEST_ENDPOINT_${ENGINE}`;
  [provider, door, secretsManager] = await Promise.all([
    startProvider(PORTAL),
    // A door before the run's own, which reports what each call uses.
    openDoor(process.env[endpoint] ?? '', onCall),
    startSecretsManager(SECRET_ARN, onCall),
  ]);
  secretsManager.versions.set('', provider.clientSecret);
  Object.assign(process.env, {
    [endpoint]: door.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: door.endpoint,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsManager.url,
    ...variablesOf('portal'),
  });
});
afterAll(async () => {
  secretsManager.close();
  await provider.stop();
  // No call was refused, not even one beside a request, whose failure would not show.
  await door.close();
});

describe('the portal’s function', () => {
  test('is granted exactly what it does: no less, or a request would fail, and no more', async () => {
    const clock = testClock();
    const portal = testPortal(provider, { clock, clientSecret: keptSecret(secretText(SECRET_ARN), clock) });
    const owner = await tenantOf(portal);
    const { browser, accountId, account, project, keyId, key } = owner;
    const idempotencyKey = 'order-7';
    const headers = { 'idempotency-key': idempotencyKey };
    expect((await testGateway({ clock }).ping(key, { headers })).status).toBe(200);

    // People: a session seen again, an invitation, accepted, declined, a new owner, a removal.
    portal.clock.nowMs += 11 * MINUTE_MS;
    expect((await browser.get('/api/session')).status).toBe(200);
    const member = await join(portal, browser, accountId);
    expect((await browser.patch(`${account}/members/${member.memberId}`, { role: 'owner' })).status).toBe(200);
    const declining = await person(portal, 'declining');
    await created(browser.post(`${account}/members`, { email: declining.email, role: 'member' }));
    expect((await declining.get('/api/session')).body).toMatchObject({ invitations: [{ accountId }] });
    expect((await declining.get('/api/invitations')).body).toMatchObject({ invitations: [{ accountId }] });
    expect((await declining.get(`/api/invitations/${accountId}`)).status).toBe(200);
    expect((await declining.post(`/api/invitations/${accountId}/decline`)).status).toBe(204);
    expect((await browser.get(`${account}/members`)).status).toBe(200);
    expect((await browser.delete(`${account}/members/${member.memberId}`)).status).toBe(204);
    const lost = (body: object) => ({ body, headers: { 'idempotency-key': '0f0c6a5e-6c2f-4a53-9d3c-3f6c8ad6f6a1' } });
    const invite = lost({ email: 'invited@example.com', role: 'member' });
    const { memberId } = await created(browser.request('POST', `${account}/members`, invite));
    expect((await browser.delete(`${account}/members/${memberId}`)).status).toBe(204);
    expect((await browser.patch(account, { name: 'Maps' })).status).toBe(200);

    // Endpoints.
    const { endpointId, deliveryId } = await endpointOf(browser, account);
    const endpoint = `${account}/endpoints/${endpointId}`;
    await created(browser.post(`${endpoint}/deliveries/${deliveryId}/repeat`));
    await created(browser.post(`${endpoint}/rotate`));
    expect((await browser.get(`${endpoint}/deliveries`)).status).toBe(200);
    expect((await browser.get(`${account}/endpoints`)).status).toBe(200);
    expect((await browser.patch(endpoint, { status: 'disabled' })).status).toBe(200);
    expect((await browser.delete(endpoint)).status).toBe(204);

    // Mails.
    expect((await browser.patch(`${account}/mails`, { quota: false })).status).toBe(200);
    expect((await browser.get(`${account}/mails`)).status).toBe(200);
    expect((await browser.patch(`${account}/thresholds`, { percents: [50] })).status).toBe(200);
    for (const scope of ['invitations', 'acc_0000000000000000'] as const) {
      const { query } = await stopOfMails(testGateway().store, browser.email, scope);
      for (const path of ['/api/mails/stop', '/api/mails/resume']) {
        expect((await browser.request('POST', path, { query })).status).toBe(204);
      }
    }

    // Projects and keys, one of them created twice because the answer was lost.
    expect((await browser.patch(project, { name: 'Journeys' })).status).toBe(200);
    expect((await browser.get(`${account}/projects`)).status).toBe(200);
    expect((await browser.get(`${account}/attention`)).status).toBe(200);
    expect((await browser.get(`${project}/keys`)).status).toBe(200);
    for (const status of [201, 201]) {
      expect((await browser.request('POST', `${project}/keys`, lost({}))).status).toBe(status);
    }
    const expiresAt = new Date(clock.now() + 10 * 24 * 60 * MINUTE_MS).toISOString();
    expect((await browser.patch(`${project}/keys/${keyId}`, { name: 'Key', expiresAt })).status).toBe(200);
    const { keyId: newKeyId = '' } = await created(browser.post(`${project}/keys/${keyId}/rotate`, {}));
    expect((await browser.post(`${project}/keys/${newKeyId}/revoke`)).status).toBe(200);
    const { key: leaked } = await created(browser.post(`${project}/keys`, {}));
    expect((await browser.post('/api/leaked-keys', { keys: [leaked] })).status).toBe(204);

    // Reads of the ledger.
    expect((await browser.get(`${project}/events`)).status).toBe(200);
    expect((await browser.get(`${project}/events/01b92504-8230-7a78-958c-786de2921d1b`)).status).toBe(404);
    expect((await browser.post(`${project}/charges/lookup`, { idempotencyKey })).body).toMatchObject({
      state: 'charged',
    });
    expect((await browser.get('/api/requests/01b92504-8230-7a78-958c-786de2921d1b')).status).toBe(404);

    const since = new Date(portal.clock.nowMs - 48 * 60 * MINUTE_MS).toISOString();
    for (const by of ['hour', 'day']) {
      expect((await browser.get(`${project}/usage`, `since=${since}&by=${by}`)).status).toBe(200);
    }
    // A project whose usage nobody has read yet.
    const { projectId: unseen = '' } = await created(browser.post(`${account}/projects`, { name: 'Unseen' }));
    const { keyId: ofUnseen = '' } = await created(browser.post(`${account}/projects/${unseen}/keys`, {}));
    expect((await browser.get(`${account}/projects/${unseen}/keys/${ofUnseen}`)).status).toBe(200);
    // Each for a project without stored sums.
    for (const path of ['ledger', 'statement.csv']) {
      const { projectId = '' } = await created(browser.post(`${account}/projects`, { name: path }));
      expect((await browser.get(`${account}/projects/${projectId}/${path}`)).status).toBe(200);
    }
    expect((await browser.get(`${project}/events.csv`)).status).toBe(200);
    expect((await browser.get(`${account}/audit`)).status).toBe(200);
    expect((await browser.get(`${account}/audit.csv`)).status).toBe(200);

    // Tokens, and what they may do.
    const body = { name: 'CI', scopes: ALL_SCOPES, expiresInDays: 1 };
    const once = { 'idempotency-key': 'token-7' };
    const ask = () =>
      created<{ token: string; tokenId: string }>(
        browser.request('POST', `${account}/tokens`, { body, headers: once }),
      );
    await ask();
    const { token, tokenId } = await ask();
    const ci = program(portal, token);
    const keys = `/projects/${owner.projectId}/keys`;
    expect((await ci.get('/token')).status).toBe(200);
    const { keyId: ofCi } = await created(ci.post(keys, {}));
    expect((await ci.get('/projects')).status).toBe(200);
    // Without stored sums.
    const { projectId: ofToken } = await created(browser.post(`${account}/projects`, { name: 'Token' }));
    for (const by of ['day', 'key']) {
      expect((await ci.get(`/projects/${ofToken}/usage`, `since=${since}&by=${by}`)).status).toBe(200);
    }
    const { requests } = (await ci.get(`/projects/${owner.projectId}/requests`)).body as {
      requests: { requestId: string }[];
    };
    expect((await ci.get(`/requests/${requests[0]?.requestId}`)).status).toBe(200);
    expect((await ci.get(keys)).status).toBe(200);
    expect((await ci.get(`${keys}/${ofCi}`)).status).toBe(200);
    expect((await ci.patch(`${keys}/${ofCi}`, { name: 'CI', expiresAt })).status).toBe(200);
    await created(ci.post(`${keys}/${ofCi}/rotate`));
    expect((await ci.post(`${keys}/${ofCi}/revoke`)).status).toBe(200);
    expect((await browser.get(`${account}/tokens`)).status).toBe(200);
    expect((await browser.post(`${account}/tokens/${tokenId}/revoke`)).status).toBe(200);

    // Things that end.
    const other = portal.browser();
    await other.signIn(browser.email);
    const { sessions } = (await browser.get('/api/sessions')).body as {
      sessions: { sessionId: string; current: boolean }[];
    };
    const ended = sessions.find(({ current }) => !current)?.sessionId;
    expect((await browser.delete(`/api/sessions/${ended}`)).status).toBe(204);
    const leaving = await join(portal, browser, accountId);
    for (const somebody of [member, leaving]) expect((await somebody.delete('/api/profile')).status).toBe(204);
    expect((await browser.delete(project)).status).toBe(204);
    await created(browser.post(`${account}/projects`, { name: 'Open' }));
    await created(browser.post(`${account}/members`, { email: 'open@example.com', role: 'member' }));
    expect((await browser.delete(account)).status).toBe(204);
    await browser.signIn(browser.email);
    expect((await browser.post('/api/sign-out', { everywhere: true })).status).toBe(200);
    await browser.signIn(browser.email);
    expect((await browser.post('/api/sign-out')).status).toBe(200);
    expect((await declining.get('/api/sessions')).status).toBe(200);
    // After its deletion, a person who created an account leaves an item, which they get back.
    const { accountId: closed } = await created(declining.post('/api/accounts', { name: 'Closed' }));
    for (const path of [`/api/accounts/${closed}`, '/api/profile']) {
      expect((await declining.delete(path)).status).toBe(204);
    }
    expect((await declining.signIn(declining.email)).headers.location).toBe('/');

    expect([...used].sort()).toEqual(grantsOf(policy).sort());
    expect([...portal.unwritten]).toEqual([]);
  });

  test.each<[string, Permission]>([
    ['writing the usage log', { resource: 'usage', action: 'dynamodb:PutItem', leadingKeys: ['p'] }],
    ['changing the usage log', { resource: 'usage', action: 'dynamodb:UpdateItem', leadingKeys: ['p'] }],
    ['deleting from the usage log', { resource: 'usage', action: 'dynamodb:DeleteItem', leadingKeys: ['p'] }],
    ['deleting a project', { resource: 'gateway', action: 'dynamodb:DeleteItem', leadingKeys: ['PROJECT#p'] }],
    ['deleting a kept sum', { resource: 'gateway', action: 'dynamodb:DeleteItem', leadingKeys: ['ROLLUP#p'] }],
    ['changing an identity', { resource: 'gateway', action: 'dynamodb:UpdateItem', leadingKeys: ['IDENTITY#i'] }],
    ['listing all accounts', { resource: 'gateway', action: 'dynamodb:Query', leadingKeys: ['ACCOUNTS'] }],
    ['reading the whole table', { resource: 'gateway', action: 'dynamodb:Scan', leadingKeys: [] }],
    [
      'a batch with one key of no kind',
      { resource: 'gateway', action: 'dynamodb:BatchGetItem', leadingKeys: ['USER#u', 'X'] },
    ],
  ])('is refused %s', (_what, permission) => {
    expect(isAllowed(policy, permission)).toBe(false);
  });
});

describe('its start', () => {
  let handler: PortalHandler;
  beforeAll(async () => {
    Object.assign(process.env, {
      GATEWAY_TABLE: LOCAL_TABLES.gateway,
      USAGE_TABLE: LOCAL_TABLES.usage,
      POWERTOOLS_LOG_LEVEL: 'SILENT',
      KEY_TAG_SECRETS: LOCAL_KEY_TAG_SECRET,
      PORTAL_ORIGIN: PORTAL,
      GATEWAY_URL: 'https://gateway.example.com',
      QUOTA_PERIOD: 'month',
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: provider.clientId,
      OIDC_CLIENT_SECRET: provider.clientSecret,
      POWERTOOLS_METRICS_DISABLED: 'true',
      PROJECTS_PER_ACCOUNT: '7',
    });
    made.length = 0;
    ({ handler } = await import('../../functions/portal/handler.ts'));
  });

  test('does what the policy allows, too', () => {
    expect(made).toHaveLength(1);
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
    // The limit of projects in a period is twice the limit of open ones.
    const limits = { ...DEFAULT_LIMITS, projectsPerAccount: 7, projectsPerPeriod: 14 };
    const session = { limits, gatewayUrl: 'https://gateway.example.com', stage: 'local' };
    expect(await ask('GET', '/api/session')).toMatchObject(session);
    const { projectId } = await ask('POST', `${account}/projects`, { name: 'New' });
    const project = `${account}/projects/${String(projectId)}`;
    expect(await ask('GET', project)).toMatchObject({ name: 'New', quotaLimit: 10_000 });
    const { key } = await ask('POST', `${project}/keys`, {});
    expect(await ask('GET', `${project}/keys`)).toMatchObject({ keys: [{ rpm: 60 }] });
    // The gateway accepts the key.
    expect((await testGateway({ clock }).ping(String(key))).status).toBe(200);
  });
});
