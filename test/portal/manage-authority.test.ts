import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { suspendProject } from '../../functions/accounts/projects/projects.ts';
import { revokeToken } from '../../functions/accounts/tokens/tokens.ts';
import { generateToken } from '../../functions/shared/credentials/management-token.ts';
import { requestIdAt } from '../../functions/shared/ids.ts';
import { operationsOf } from '../../functions/portal/request/known-routes.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { outcomeOf } from '../support/claimants.ts';
import { testGateway } from '../support/gateway.ts';
import { localKeyTagSecrets } from '../support/keys.ts';
import { testPortal, type TestPortal } from '../support/portal.ts';
import { created, stageWithTenant, tenantOf } from '../support/portal-team.ts';
import { readUnitsOf } from '../support/read-units.ts';
import { putEvents } from '../support/stored-events.ts';
import { someEvent } from '../support/usage-events.ts';
import { DAY_MS, MINUTE_MS } from '../support/times.ts';
import { ALL_SCOPES, program, tokenOf } from '../support/tokens.ts';

/** The scope that each route requires; null: any token. Its body, and its status where it succeeds. */
const ROUTES: Readonly<Record<string, { scope: string | null; body?: object; status?: number }>> = {
  'GET /token': { scope: null },
  'GET /projects': { scope: null },
  'GET /projects/{projectId}/keys': { scope: 'keys:read' },
  'POST /projects/{projectId}/keys': { scope: 'keys:write', body: { name: 'New' }, status: 201 },
  'GET /projects/{projectId}/keys/{keyId}': { scope: 'keys:read' },
  'PATCH /projects/{projectId}/keys/{keyId}': { scope: 'keys:write', body: { name: 'New' } },
  'POST /projects/{projectId}/keys/{keyId}/rotate': { scope: 'keys:write', body: {}, status: 201 },
  'POST /projects/{projectId}/keys/{keyId}/revoke': { scope: 'keys:write', body: {} },
  'GET /projects/{projectId}/usage': { scope: 'usage:read' },
  'GET /projects/{projectId}/requests': { scope: 'usage:read' },
  'GET /requests/{requestId}': { scope: 'usage:read' },
};

let portal: TestPortal;
let ours: Awaited<ReturnType<typeof world>>;
let theirs: Awaited<ReturnType<typeof world>>;
/** Tokens of ours: one of each scope, one of every scope for the second project, and one that was revoked. */
let ofScope: ReadonlyMap<string, string>;
let ofOther: string;
let revoked: string;
beforeAll(async () => {
  portal = testPortal(trustingProvider);
  [ours, theirs] = [await world(), await world()];
  const { browser, account, otherId } = ours;
  const made = ALL_SCOPES.map(
    async (scope) => [scope, (await tokenOf(browser, account, { scopes: [scope] })).token] as const,
  );
  ofScope = new Map(await Promise.all(made));
  ofOther = (await tokenOf(browser, account, { projectId: otherId })).token;
  const ended = await tokenOf(browser, account);
  await browser.post(`${account}/tokens/${ended.tokenId}/revoke`);
  revoked = ended.token;
});

/** An account with two projects, and in the ledger a request of the first. */
async function world() {
  const tenant = await tenantOf(portal);
  const { projectId: otherId = '' } = await created(
    tenant.browser.post(`${tenant.account}/projects`, { name: 'Maps' }),
  );
  const requestId = requestIdAt(portal.clock.nowMs - MINUTE_MS, randomBytes);
  const occurredAt = new Date(portal.clock.nowMs - MINUTE_MS).toISOString();
  const { projectId, keyId } = tenant;
  await putEvents(portal.store, [someEvent({ projectId, keyId, requestId, occurredAt })]);
  return { ...tenant, otherId, requestId };
}

interface Ids {
  readonly projectId: string;
  readonly keyId: string;
  readonly requestId: string;
}

/** Asks a route with a token. A new key takes the place of one that the route would end. */
async function ask(route: string, token: string | undefined, { projectId, keyId, requestId }: Ids) {
  const [method = '', template = ''] = route.split(' ');
  const path = template.replace('{projectId}', projectId).replace('{keyId}', keyId).replace('{requestId}', requestId);
  portal.clock.nowMs += 1;
  return outcomeOf(await program(portal, token).request(method, path, { body: ROUTES[route]?.body }));
}

/** Ids of an own key that nothing has ended yet. */
async function fresh(): Promise<Ids> {
  portal.clock.nowMs += MINUTE_MS;
  const { browser, project, projectId, requestId } = ours;
  const { keyId = '' } = await created(browser.post(`${project}/keys`, {}));
  return { projectId, keyId, requestId };
}
const end = ({ keyId }: Ids) => ours.browser.post(`${ours.project}/keys/${keyId}/revoke`);
const names = Object.keys(ROUTES);

test('a program makes a key, uses it, reads units by key, changes, rotates and ends it', async () => {
  const { portal, gateway, browser, account, accountId, projectId } = await stageWithTenant();
  const { token, tokenId } = await tokenOf(browser, account);
  const ci = program(portal, token);
  expect((await ci.get('/token')).body).toMatchObject({ tokenId, accountId, status: 'active' });
  expect((await ci.get('/projects')).body).toMatchObject({ projects: [{ projectId }], cursor: null });

  const keys = `/projects/${projectId}/keys`;
  const { keyId = '', key = '' } = await created(ci.post(keys, { name: 'from CI', unitsLimit: 100 }));
  const pong = await gateway.ping(key);
  expect(pong.status).toBe(200);
  expect((await ci.get(`${keys}/${keyId}`)).body).toMatchObject({ name: 'from CI', unitsLimit: 100, unitsUsed: 1 });
  const usage = (await ci.get(`/projects/${projectId}/usage`, 'by=key')).body;
  expect(usage).toMatchObject({ by: 'key', keys: [{ keyId, name: 'from CI', requests: 1, units: 1 }] });
  const { requests } = (await ci.get(`/projects/${projectId}/requests`)).body as {
    requests: { requestId: string }[];
  };
  expect(requests).toHaveLength(1);
  expect((await ci.get(`/requests/${requests[0]?.requestId}`)).body).toEqual(requests[0]);

  expect((await ci.patch(`${keys}/${keyId}`, { name: 'CI of main' })).body).toMatchObject({ name: 'CI of main' });
  const { keyId: nextId = '', key: next = '' } = await created(ci.post(`${keys}/${keyId}/rotate`, { graceHours: 0 }));
  expect((await gateway.ping(next)).status).toBe(200);
  expect((await ci.post(`${keys}/${nextId}/revoke`)).body).toMatchObject({ status: 'revoked' });
  expect((await gateway.ping(next)).status).toBe(401);
});

test('a span of usage that is too long is refused in words for programs, which have no 5min', async () => {
  const ci = program(portal, ofScope.get('usage:read'));
  const { status, body } = await ci.get(`/projects/${ours.projectId}/usage`, 'since=2028-01-01T00:00:00Z');
  expect([status, body]).toEqual([
    400,
    expect.objectContaining({ field: 'since', detail: 'A span is at most 400 days, and by hour at most 31.' }),
  ]);
});

test('the table has every route of the code', () => {
  const routes = operationsOf(portal.manage).map(({ route }) => route.replace('/manage/v1', ''));
  expect(routes.toSorted()).toEqual(names.toSorted());
});

describe.each(names)('%s', (route) => {
  const { scope, status = 200 } = ROUTES[route] ?? {};

  test('is for its scope alone, and never for another account’s ids', async () => {
    const ids = await fresh();
    const outcomes: Record<string, string> = {};
    for (const [one, token] of ofScope) {
      outcomes[one] = await ask(route, token, ids);
      if (!route.includes('{')) continue;
      const other = one === scope ? '404 NOT_FOUND' : '403 INSUFFICIENT_SCOPE';
      expect(await ask(route, token, theirs)).toBe(other);
      // A key of another account, in a project of ours.
      if (route.includes('{keyId}')) expect(await ask(route, token, { ...ids, keyId: theirs.keyId })).toBe(other);
    }
    await end(ids);
    const isAllowed = (one: string) => scope === null || one === scope;
    expect(outcomes).toEqual(
      Object.fromEntries(ALL_SCOPES.map((one) => [one, isAllowed(one) ? String(status) : '403 INSUFFICIENT_SCOPE'])),
    );
  });

  test('is within the project of a token for one, and refuses one that was revoked, was forged, or is none', async () => {
    portal.clock.nowMs += MINUTE_MS;
    expect(await ask(route, ofOther, ours)).toBe(route.includes('{') ? '404 NOT_FOUND' : String(status));
    expect(await ask(route, revoked, ours)).toBe('401 TOKEN_REVOKED');
    // With a tag of this stage, as with its secret in the wrong hands; and without.
    const forged = generateToken(ours.accountId, await localKeyTagSecrets(), randomBytes);
    const untagged = forged.slice(0, -1) + (forged.endsWith('0') ? '1' : '0');
    for (const token of [forged, untagged, ours.key]) expect(await ask(route, token, ours)).toBe('401 INVALID_TOKEN');
    expect(await ask(route, undefined, ours)).toBe('401 MISSING_TOKEN');
  });
});

test('an expired token, and tokens of a closed project and a closed account, are refused', async () => {
  const { browser, account, projectId, keyId } = await tenantOf(portal);
  const brief = await tokenOf(browser, account, { expiresInDays: 1 });
  const ofOne = await tokenOf(browser, account, { projectId });
  const keys = `/projects/${projectId}/keys`;
  await browser.delete(`${account}/projects/${projectId}`);
  const asks = [`${keys}/${keyId}`, keys, `/projects/${projectId}/usage`];
  for (const { token } of [brief, ofOne]) {
    for (const path of asks) expect(outcomeOf(await program(portal, token).get(path))).toBe('404 NOT_FOUND');
    expect(outcomeOf(await program(portal, token).post(keys, {}))).toBe('404 NOT_FOUND');
  }
  expect((await program(portal, ofOne.token).get('/projects')).body).toEqual({ projects: [], cursor: null });
  portal.clock.nowMs += DAY_MS;
  expect(outcomeOf(await program(portal, brief.token).get('/token'))).toBe('401 TOKEN_EXPIRED');
  const owner = portal.browser();
  await owner.signIn(browser.email);
  expect((await owner.delete(account)).status).toBe(204);
  expect(outcomeOf(await program(portal, ofOne.token).get('/token'))).toBe('401 INVALID_TOKEN');
});

test('a suspended project is read and changed as by a member', async () => {
  const { browser, account, projectId } = await tenantOf(portal);
  const { token } = await tokenOf(browser, account);
  await suspendProject(portal.operator, projectId);
  expect((await program(portal, token).post(`/projects/${projectId}/keys`, {})).status).toBe(201);
});

describe('each credential says where it belongs', () => {
  test('a token at the page’s API, also for a change without the portal’s Origin', async () => {
    const { browser, account } = await tenantOf(portal);
    const { token } = await tokenOf(browser, account);
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    for (const method of ['GET', 'POST']) {
      const answer = await portal.send({ method, path: `${account}/projects`, headers, body: { name: 'X' } });
      expect(outcomeOf(answer)).toBe('401 NOT_SIGNED_IN');
      expect((answer.body as { detail: string }).detail).toMatch('/manage/v1');
    }
  });

  test('a token at the gateway', async () => {
    const { browser, account } = await tenantOf(portal);
    const { token } = await tokenOf(browser, account);
    const { status, body } = await testGateway({ clock: portal.clock }).ping(token);
    expect([status, (body as { code: string }).code]).toEqual([401, 'INVALID_API_KEY']);
    expect((body as { detail: string }).detail).toMatch('/manage/v1');
  });

  test('a key and a session at the management API', async () => {
    const { browser, key } = await tenantOf(portal);
    const withKey = await program(portal, key).get('/token');
    expect((withKey.body as { detail: string }).detail).toMatch('gateway');
    const withCookie = await browser.get('/manage/v1/token');
    expect(outcomeOf(withCookie)).toBe('401 MISSING_TOKEN');
    expect((withCookie.body as { detail: string }).detail).toMatch('session');
  });
});

describe('costs in read units', () => {
  test('a forged token nothing, one of this stage that was never made two at most', async () => {
    const forged = `svc_mgmt_${'A'.repeat(46)}`;
    for (const [method = '', template = ''] of names.map((name) => name.split(' '))) {
      const path = template.replaceAll(/\{\w+\}/g, 'x');
      const { units, calls } = await readUnitsOf(portal, () =>
        program(portal, forged).request(method, path, { body: {} }),
      );
      expect([units, calls]).toEqual([0, []]);
    }
    const unknown = generateToken(ours.accountId, await localKeyTagSecrets(), randomBytes);
    const { units, answer } = await readUnitsOf(portal, () => program(portal, unknown).get('/token'));
    expect(outcomeOf(answer)).toBe('401 INVALID_TOKEN');
    expect(units).toBeLessThanOrEqual(2);
  });

  test('a token at its limit no more than itself, its account and the project', async () => {
    const { browser, account, projectId } = await tenantOf(portal);
    const { token } = await tokenOf(browser, account);
    const ci = program(portal, token);
    for (let i = 0; i < 60; i++) expect((await ci.get('/token')).status).toBe(200);
    for (const path of ['/token', '/projects', `/projects/${projectId}/requests`, `/projects/${projectId}/usage`]) {
      const { units, calls, answer } = await readUnitsOf(portal, () => ci.get(path));
      expect(outcomeOf(answer)).toBe('429 RATE_LIMIT_EXCEEDED');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(units).toBeLessThanOrEqual(3);
      expect(calls).not.toContain('Query');
    }
  });
});

test('the platform team revokes a token in the name of nobody of the account', async () => {
  const { browser, account, accountId } = await tenantOf(portal);
  const { token, tokenId } = await tokenOf(browser, account);
  await revokeToken(portal.operator, accountId, tokenId);
  expect(outcomeOf(await program(portal, token).get('/token'))).toBe('401 TOKEN_REVOKED');
});
