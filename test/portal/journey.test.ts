import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { closeProject } from '../../functions/accounts/projects/projects.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { intercept } from '../support/faults.ts';
import { testGateway } from '../support/gateway.ts';
import { startProvider, type TestProvider } from '../support/identity.ts';
import { PORTAL, testPortal } from '../support/portal.ts';
import { created, person, tenantOf } from '../support/portal-team.ts';
import { testClock } from '../support/reports.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../support/times.ts';

let provider: TestProvider;
beforeAll(async () => {
  provider = await startProvider(PORTAL);
});
afterAll(() => provider.stop());

/** A gateway and a portal of one stage with a common clock. */
function stage(signsIn: Parameters<typeof testPortal>[0] = trustingProvider) {
  const clock = testClock();
  return { clock, gateway: testGateway({ clock }), portal: testPortal(signsIn, { clock }) };
}

test('a developer signs in, names account and project, creates a key, pings and sees it', async () => {
  const { portal, gateway } = stage(provider);
  const { browser, accountId, account, projectId, project, keyId, key } = await tenantOf(portal);
  const { body: session } = await browser.get('/api/session');
  expect(session).toMatchObject({ accounts: [{ accountId, name: 'Team', role: 'owner' }], invitations: [] });

  const answer = await gateway.ping(key);
  expect(answer.status).toBe(200);

  const { body: projects } = await browser.get(`${account}/projects`);
  const overview = {
    projectId,
    name: 'Trips',
    status: 'active',
    quotaLimit: 10_000,
    quotaUsed: 1,
    activeKeys: 1,
    period: '2030-01',
    createdAt: '2030-01-15T10:00:30.000Z',
    lastRequest: '2030-01-15T10:00:30.000Z',
  };
  expect(projects).toEqual({ projects: [overview], cursor: null });
  expect((await browser.get(project)).body).toEqual(overview);
  const { body: keys } = await browser.get(`${project}/keys`);
  expect(keys).toEqual({
    keys: [
      {
        keyId,
        name: 'CI',
        mode: 'test',
        scopes: ['sandbox:invoke'],
        status: 'active',
        paused: false,
        rpm: 60,
        lastFour: key.slice(-4),
        createdAt: '2030-01-15T10:00:30.000Z',
        expiresAt: null,
        replacedBy: null,
        lastUsed: '2030-01-15T10:00:00.000Z',
        unitsLimit: null,
        unitsPeriod: null,
        unitsUsed: null,
        capOf: null,
      },
    ],
    cursor: null,
  });
  const { body: events } = await browser.get(`${project}/events`);
  const requestId = answer.headers['x-service-request-id'];
  expect(events).toMatchObject({ events: [{ requestId, keyId, event: 'request_succeeded', units: 1 }], cursor: null });
  const {
    events: [event],
  } = events as { events: unknown[] };
  expect((await browser.get(`${project}/events/${requestId}`)).body).toEqual(event);
});

test('a key is in the answer that creates it, and in no other', async () => {
  const { portal } = stage();
  const { browser, account, project, keyId, key } = await tenantOf(portal);
  const paths = ['/api/session', `${account}/projects`, project, `${project}/keys`, `${project}/events`];
  const answers = await Promise.all(paths.map((path) => browser.get(path)));
  const revoked = await browser.post(`${project}/keys/${keyId}/revoke`);
  for (const { text } of [...answers, revoked]) expect(text).not.toContain(key.slice('svc_test_'.length + 12));
});

describe('a change of a key holds from the next request on:', () => {
  test('revoked, and again too', async () => {
    const { portal, gateway } = stage();
    const { browser, project, keyId, key } = await tenantOf(portal);
    for (let times = 0; times < 2; times++) {
      const { status, body } = await browser.post(`${project}/keys/${keyId}/revoke`);
      expect([status, body]).toEqual([200, expect.objectContaining({ keyId, status: 'revoked' })]);
    }
    expect((await gateway.ping(key)).body.code).toBe('API_KEY_REVOKED');
    const { status, body } = await browser.post(`${project}/keys/${keyId}/rotate`, {});
    expect([status, (body as { code: string }).code]).toEqual([409, 'KEY_NOT_ACTIVE']);
  });

  test('with another end, which is to come and within a year', async () => {
    const { portal, gateway, clock } = stage();
    const { browser, project, keyId, key } = await tenantOf(portal);
    const path = `${project}/keys/${keyId}`;
    const at = (ms: number): string => new Date(clock.nowMs + ms).toISOString();
    for (const expiresAt of [at(0), at(366 * DAY_MS), 'soon']) {
      expect((await browser.patch(path, { expiresAt })).body).toMatchObject({
        code: 'INVALID_REQUEST',
        field: 'expiresAt',
      });
    }
    expect((await browser.patch(path, { expiresAt: null })).body).toMatchObject({ expiresAt: null });
    expect((await browser.patch(path, { expiresAt: at(1_000) })).body).toMatchObject({ expiresAt: at(1_000) });
    clock.nowMs += 1_000;
    expect((await gateway.ping(key)).body.code).toBe('API_KEY_EXPIRED');
  });

  test('rotated at once, or by default with a day’s grace', async () => {
    const { portal, gateway, clock } = stage();
    const { browser, project, keyId, key } = await tenantOf(portal);
    const next = await created(browser.post(`${project}/keys/${keyId}/rotate`, { graceHours: 0 }));
    expect((await gateway.ping(key)).body.code).toBe('API_KEY_EXPIRED');
    const last = await created(browser.post(`${project}/keys/${next.keyId}/rotate`));
    const { keys } = (await browser.get(`${project}/keys`)).body as { keys: Record<'keyId' | 'replacedBy', string>[] };
    expect(Object.fromEntries(keys.map((found) => [found.keyId, found.replacedBy]))).toEqual({
      [keyId]: next.keyId,
      [next.keyId ?? '']: last.keyId,
      [last.keyId ?? '']: null,
    });
    clock.nowMs += 24 * HOUR_MS - 1;
    expect((await gateway.ping(next.key ?? '')).status).toBe(200);
    clock.nowMs += MINUTE_MS;
    expect((await gateway.ping(next.key ?? '')).body.code).toBe('API_KEY_EXPIRED');
    expect((await gateway.ping(last.key ?? '')).status).toBe(200);
  });

  test.each([
    ['days', { expiresInDays: 1 }, 24],
    ['hours', { expiresInHours: 1 }, 1],
  ])('created to expire, in %s', async (_unit, body, hours) => {
    const { portal, gateway, clock } = stage();
    const { browser, project } = await tenantOf(portal);
    const { key = '' } = await created(browser.post(`${project}/keys`, body));
    clock.nowMs += hours * HOUR_MS - 1;
    expect((await gateway.ping(key)).status).toBe(200);
    clock.nowMs += 1;
    expect((await gateway.ping(key)).body.code).toBe('API_KEY_EXPIRED');
  });
});

test('a project that is closed right behind its new name: the change that was made is answered as such', async () => {
  const { portal, gateway } = stage();
  const { browser, project, projectId } = await tenantOf(portal);
  intercept(portal.client, async ({ operation, send }) => {
    const answer = await send();
    if (operation === 'TransactWriteItems') await closeProject(gateway.store, projectId);
    return answer;
  });
  const { status, body } = await browser.patch(project, { name: 'Late' });
  expect([status, body]).toEqual([200, expect.objectContaining({ projectId, name: 'Late', status: 'active' })]);
  expect((await browser.get(project)).status).toBe(404);
});

test('a team grows by invitations to verified addresses, which are accepted or declined', async () => {
  const { portal } = stage();
  const { browser, accountId, account } = await tenantOf(portal);
  const [ada, bob] = [await person(portal, 'ada'), await person(portal, 'bob')];
  const { memberId } = await created(
    browser.post(`${account}/members`, { email: ada.email.toUpperCase(), role: 'owner' }),
  );
  await created(browser.post(`${account}/members`, { email: bob.email, role: 'member' }));
  expect((await ada.get('/api/session')).body).toMatchObject({
    accounts: [],
    invitations: [{ accountId, accountName: 'Team', role: 'owner', expiresAt: '2030-01-29T10:00:30.000Z' }],
  });
  expect((await ada.get(`${account}/members`)).status).toBe(404);
  const { status, body } = await ada.post(`/api/invitations/${accountId}/accept`);
  expect([status, body]).toEqual([200, { accountId, name: 'Team', role: 'owner' }]);
  expect((await bob.post(`/api/invitations/${accountId}/decline`)).status).toBe(204);
  expect((await bob.post(`/api/invitations/${accountId}/accept`)).status).toBe(404);
  expect((await ada.get('/api/session')).body).toMatchObject({ accounts: [{ accountId, memberId, role: 'owner' }] });
  const { members } = (await ada.get(`${account}/members`)).body as { members: { memberId: string }[] };
  expect(members).toHaveLength(2);
  expect(members).toContainEqual(expect.objectContaining({ memberId, role: 'owner', status: 'active' }));
});
