import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DEFAULT_LIMITS } from '../../functions/accounts/store/limits.ts';
import type { PortalHandler } from '../../functions/portal/request/lambda.ts';
import { testGateway } from '../support/gateway.ts';
import { httpEvent } from '../support/http.ts';
import { startProvider, type TestProvider } from '../support/identity.ts';
import { secretText } from '../../functions/portal/runtime.ts';
import { keptSecret } from '../../functions/portal/provider/client-secret.ts';
import { LOCAL_KEY_TAG_SECRET, LOCAL_TABLES } from '../../local/settings.ts';
import { variablesOf } from '../support/iam-proxy/callers.ts';
import { startIamProxy, type IamProxy } from '../support/iam-proxy/proxy.ts';
import type { OnCall } from '../support/iam-proxy/judgement.ts';
import { grantsOf, isAllowed, policyOf, usesOf, type Permission } from '../support/iam.ts';
import { stopOfMails } from '../support/mails.ts';
import { anotherProject } from '../support/authority/places.ts';
import { CHANGE_PATHS } from '../support/changes/paths.ts';
import { instance, prepared } from '../support/changes/run.ts';
import { filledPath, portalOperations } from '../support/portal-contract.ts';
import { PORTAL, testPortal } from '../support/portal.ts';
import { created, endpointOf, join, person, tenantOf } from '../support/portal-team.ts';
import { testClock } from '../support/reports.ts';
import { HOUR_MS } from '../support/times.ts';
import { ALL_SCOPES, program } from '../support/tokens.ts';
import { noteKeys } from '../support/secrets/journal.ts';
import { playSecretsManager, type TestSecretsManager } from '../support/aws-services.ts';

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
let iamProxy: IamProxy;
let secretsManager: TestSecretsManager;
beforeAll(async () => {
  const endpoint = `TEST_ENDPOINT_${ENGINE}`;
  [provider, iamProxy] = await Promise.all([
    startProvider(PORTAL),
    // An IAM proxy before the run's own, which reports what each call uses.
    startIamProxy(process.env[endpoint] ?? '', onCall),
  ]);
  secretsManager = await playSecretsManager(SECRET_ARN, onCall);
  secretsManager.versions.set('', provider.clientSecret);
  Object.assign(process.env, {
    [endpoint]: iamProxy.endpoint,
    AWS_ENDPOINT_URL_DYNAMODB: iamProxy.endpoint,
    ...variablesOf('portal'),
  });
});
afterAll(async () => {
  secretsManager.close();
  await provider.stop();
  // No call was refused, not even one beside a request, whose failure would not show.
  await iamProxy.close();
});

/** Those that sum. */
const SUMMED = ['getUsage', 'getKey', 'checkLedger', 'getStatement'];

/** Makes every change of the contract. */
async function changes(): Promise<void> {
  for (const path of CHANGE_PATHS) {
    const { portal } = instance(path);
    const cell = await prepared(path, portal);
    expect([path.name, (await cell.send(portal)).status]).toEqual([path.name, path.statuses[0]]);
  }
}

describe('the portal’s function', () => {
  test('is granted exactly what it does: no less, or a request would fail, and no more', async () => {
    const clock = testClock();
    const portal = testPortal(provider, { clock, clientSecret: keptSecret(secretText(SECRET_ARN), clock) });
    await changes();
    const { browser, accountId, account, project, projectId, keyId, key } = await tenantOf(portal);
    const idempotencyKey = 'order-7';
    const headers = { 'idempotency-key': idempotencyKey };
    expect((await testGateway({ clock }).ping(key, { headers })).status).toBe(200);
    await join(portal, browser, accountId);
    const invited = await person(portal);
    await created(browser.post(`${account}/members`, { email: invited.email, role: 'member' }));

    // Every read, each of those that sum of a project whose usage nobody has read yet.
    const requestId = '01b92504-8230-7a78-958c-786de2921d1b';
    const ids = { accountId, projectId, keyId, requestId, ...(await endpointOf(browser, account)) };
    for (const { method, path, operationId, isOpen } of portalOperations) {
      if (method !== 'GET' || isOpen) continue;
      const own: Readonly<Record<string, string>> = SUMMED.includes(operationId)
        ? { ...ids, ...(await anotherProject(browser, { ...ids, memberId: '', tokenId: '', session: { text: '' } })) }
        : ids;
      const filled = filledPath(path, own);
      const { status } = await (operationId === 'getInvitation' ? invited : browser).get(filled);
      expect([operationId, status]).toEqual([operationId, path.includes('{requestId}') ? 404 : 200]);
    }
    const since = new Date(clock.nowMs - 48 * HOUR_MS).toISOString();
    for (const by of ['hour', 'day']) {
      expect((await browser.get(`${project}/usage`, `since=${since}&by=${by}`)).status).toBe(200);
    }
    const lookup = await browser.post(`${project}/charges/lookup`, { idempotencyKey });
    expect(lookup.body).toMatchObject({ state: 'charged' });

    // What no change of the list does.
    const expiresAt = new Date(clock.nowMs + 240 * HOUR_MS).toISOString();
    expect((await browser.patch(`${project}/keys/${keyId}`, { expiresAt })).status).toBe(200);
    // A successor that is reported gives its place back, with the end of its predecessor.
    const { keyId: ending } = await created(browser.post(`${project}/keys`, { expiresInDays: 90 }));
    const leaked: (string | undefined)[] = [(await created(browser.post(`${project}/keys/${ending}/rotate`, {}))).key];
    // More than the time of a request is enough for: some are left.
    while (leaked.length < 10) leaked.push((await created(browser.post(`${project}/keys`, {}))).key);
    expect((await browser.post('/api/leaked-keys', { keys: leaked })).status).toBe(204);
    for (const scope of ['invitations', 'acc_0000000000000000'] as const) {
      const { query } = await stopOfMails(testGateway().store, browser.email, scope);
      for (const path of ['/api/mails/stop', '/api/mails/resume']) {
        expect((await browser.request('POST', path, { query })).status).toBe(204);
      }
    }
    // After its deletion, a person who created an account leaves an item, which they get back.
    const { accountId: closed } = await created(invited.post('/api/accounts', { name: 'Closed' }));
    for (const path of [`/api/accounts/${closed}`, '/api/profile'])
      expect((await invited.delete(path)).status).toBe(204);
    expect((await invited.signIn(invited.email)).headers.location).toBe('/');

    // Tokens, and what they may do; one is created twice because the answer was lost.
    const body = { name: 'CI', scopes: ALL_SCOPES, expiresInDays: 1 };
    const ask = () => created(browser.request('POST', `${account}/tokens`, { body, headers }));
    await ask();
    const ci = program(portal, (await ask()).token);
    const keys = `/projects/${projectId}/keys`;
    const { keyId: ofCi = '' } = await created(ci.post(keys, { expiresInDays: 90 }));
    expect((await ci.patch(`${keys}/${ofCi}`, { name: 'CI', expiresAt })).status).toBe(200);
    const { keyId: successor } = await created(ci.post(`${keys}/${ofCi}/rotate`));
    const { projectId: ofToken = '' } = await created(browser.post(`${account}/projects`, { name: 'Token' }));
    const { requests } = (await ci.get(`/projects/${projectId}/requests`)).body as {
      requests: { requestId: string }[];
    };
    const answers = [
      ...['/token', '/projects', keys, `${keys}/${ofCi}`, `/requests/${requests[0]?.requestId}`].map((path) =>
        ci.get(path),
      ),
      ...['day', 'key'].map((by) => ci.get(`/projects/${ofToken}/usage`, `since=${since}&by=${by}`)),
    ];
    for (const { status } of await Promise.all(answers)) expect(status).toBe(200);
    expect((await ci.post(`${keys}/${successor}/revoke`)).status).toBe(200);

    expect([...used].sort()).toEqual(grantsOf(policy).sort());
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
