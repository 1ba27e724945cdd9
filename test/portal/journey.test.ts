import { DAY_MS } from '../support/times.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DEFAULT_LIMITS } from '../../functions/accounts/limits.ts';
import { closeProject } from '../../functions/accounts/projects/projects.ts';
import { intercept } from '../support/faults.ts';
import { testGateway } from '../support/gateway.ts';
import { startProvider, type TestProvider } from '../support/identity.ts';
import { PORTAL, testPortal } from '../support/portal.ts';
import { created, join, person, tenantOf } from '../support/portal-team.ts';
import { testClock } from '../support/reports.ts';

let provider: TestProvider;
beforeAll(async () => {
  provider = await startProvider(PORTAL);
});
afterAll(() => provider.stop());

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A gateway and a portal of one stage with a common clock. */
function stage() {
  const clock = testClock();
  return { clock, gateway: testGateway({ clock }), portal: testPortal(provider, { clock }) };
}

test('a developer signs in, names account and project, creates a key, pings and sees it', async () => {
  const { portal, gateway } = stage();
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
        unitsUsed: null,
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

  test('paused and resumed', async () => {
    const { portal, gateway } = stage();
    const { browser, project, keyId, key } = await tenantOf(portal);
    const path = `${project}/keys/${keyId}`;
    for (const paused of [true, true]) {
      const { status, body } = await browser.patch(path, { paused });
      expect([status, body]).toEqual([200, expect.objectContaining({ keyId, status: 'active', paused })]);
    }
    expect(await gateway.ping(key)).toMatchObject({ status: 403, body: { code: 'API_KEY_PAUSED' } });
    const { status, body } = await browser.post(`${path}/rotate`, {});
    expect([status, body]).toEqual([
      409,
      expect.objectContaining({ code: 'KEY_NOT_ACTIVE', detail: 'This key is paused. Resume it first.' }),
    ]);
    expect((await browser.patch(path, { paused: false })).body).toMatchObject({ paused: false });
    expect((await gateway.ping(key)).status).toBe(200);
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

  test('renamed, by members who own nothing, too', async () => {
    const { portal } = stage();
    const { browser, accountId, project, keyId } = await tenantOf(portal);
    const member = await join(portal, browser, accountId);
    const { status, body } = await member.patch(`${project}/keys/${keyId}`, { name: '  Ｎame <script> 🗝 ' });
    expect([status, body]).toEqual([200, expect.objectContaining({ name: 'Ｎame <script> 🗝' })]);
  });
});

describe('what is closed is refused and gone from the next request on:', () => {
  test('a project', async () => {
    const { portal, gateway } = stage();
    const { browser, account, project, key } = await tenantOf(portal);
    expect((await browser.delete(project)).status).toBe(204);
    expect((await gateway.ping(key)).body.code).toBe('PROJECT_SUSPENDED');
    expect((await browser.get(project)).status).toBe(404);
    expect((await browser.get(`${project}/keys`)).status).toBe(404);
    expect((await browser.get(`${project}/events`)).status).toBe(404);
    expect((await browser.get(`${account}/projects`)).body).toEqual({ projects: [], cursor: null });
  });

  test('a project right behind its new name: the change that was made is answered as such', async () => {
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

  test('an account with its projects', async () => {
    const { portal, gateway } = stage();
    const { browser, account, project, key } = await tenantOf(portal);
    expect((await browser.delete(account)).status).toBe(204);
    expect((await gateway.ping(key)).body.code).toBe('PROJECT_SUSPENDED');
    for (const path of [`${account}/projects`, `${account}/members`, project]) {
      expect((await browser.get(path)).status).toBe(404);
    }
    expect((await browser.get('/api/session')).body).toMatchObject({ accounts: [] });
  });
});

describe('a team', () => {
  test('grows by invitations to verified addresses, which are accepted or declined', async () => {
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

  test.each(["o'brien@example.com", 'a&b@example.com', 'x@y.z'])('invites %s, who can sign in', async (address) => {
    const { portal } = stage();
    const { browser, accountId, account } = await tenantOf(portal);
    await created(browser.post(`${account}/members`, { email: address, role: 'member' }));
    const invited = portal.browser();
    await invited.signIn(address);
    expect((await invited.post(`/api/invitations/${accountId}/accept`)).status).toBe(200);
  });

  test.each(['', 'ada', '@x.y', 'a b@x.y', '<b>@x.y', 'a@x.y,b@x.y', `${'a'.repeat(250)}@x.yz`])(
    'does not invite %j',
    async (email) => {
      const { portal } = stage();
      const { browser, account } = await tenantOf(portal);
      const { status, body } = await browser.post(`${account}/members`, { email, role: 'member' });
      expect([status, body]).toEqual([400, expect.objectContaining({ field: 'email' })]);
    },
  );

  test('keeps an owner; who is removed is out with the next request', async () => {
    const { portal } = stage();
    const { browser, accountId, account, project } = await tenantOf(portal);
    const member = await join(portal, browser, accountId);
    const { members } = (await browser.get(`${account}/members`)).body as {
      members: { memberId: string; role: string }[];
    };
    const owner = members.find(({ role }) => role === 'owner')?.memberId;
    for (const last of [
      browser.delete(`${account}/members/${owner}`),
      browser.patch(`${account}/members/${owner}`, { role: 'member' }),
    ]) {
      expect((await last).body).toMatchObject({ code: 'LAST_OWNER' });
    }
    expect((await member.get(project)).status).toBe(200);
    expect((await browser.delete(`${account}/members/${member.memberId}`)).status).toBe(204);
    expect((await member.get(project)).status).toBe(404);
    expect((await member.post(`${project}/keys`, {})).status).toBe(404);
  });

  test('lets only owners do what is theirs, and members leave', async () => {
    const { portal } = stage();
    const { browser, accountId, account, project } = await tenantOf(portal);
    const member = await join(portal, browser, accountId);
    const asked = await Promise.all([
      member.patch(account, { name: 'Mine' }),
      member.delete(account),
      member.delete(project),
      member.post(`${account}/members`, { email: 'x@example.com', role: 'owner' }),
      member.patch(`${account}/members/${member.memberId}`, { role: 'owner' }),
    ]);
    expect(asked.map(({ status, body }) => [status, (body as { code: string }).code])).toEqual(
      Array(5).fill([403, 'OWNER_ONLY']),
    );
    expect((await browser.patch(account, { name: 'Ours' })).body).toEqual({ accountId, name: 'Ours', role: 'owner' });
    expect((await member.delete(`${account}/members/${member.memberId}`)).status).toBe(204);
    expect((await member.get(project)).status).toBe(404);
  });
});

describe('people who have nothing to do with each other', () => {
  test('get the same answer for what belongs to others as for what does not exist', async () => {
    const { portal } = stage();
    const [one, other] = [await tenantOf(portal), await tenantOf(portal)];
    const withoutId = (answer: { status: number; body: unknown }) => ({
      ...answer,
      body: { ...(answer.body as object), requestId: undefined },
    });
    const ask = async (account: string, projectId: string, keyId: string) => {
      const project = `${account}/projects/${projectId}`;
      const answers = await Promise.all([
        other.browser.get(`${account}/members`),
        other.browser.get(project),
        other.browser.get(`${project}/events`),
        other.browser.patch(project, { name: 'N' }),
        other.browser.post(`${project}/keys`, {}),
        other.browser.post(`${project}/keys/${keyId}/revoke`),
      ]);
      return answers.map(({ status, body }) => withoutId({ status, body }));
    };
    const none = await ask('/api/accounts/acc_4fS0pQ2mXz81LkWd', 'L3F3EM36hg2T', 'key_9aBcD3fGhJ5kLmN7');
    expect(none.map(({ status }) => status)).toEqual(Array(6).fill(404));
    expect(await ask(one.account, one.projectId, one.keyId)).toEqual(none);
    // Mixed ids of two accounts: the project and the key do not belong to this account.
    const mixed = await ask(other.account, one.projectId, one.keyId);
    expect(mixed.slice(1)).toEqual(none.slice(1));
    expect((await one.browser.get(one.project)).body).toMatchObject({ name: 'Trips', activeKeys: 1 });
  });
});

describe('a creation that is asked for twice under one Idempotency-Key', () => {
  test('makes one, and answers with its id again', async () => {
    const { portal } = stage();
    const browser = await person(portal);
    const again = async (path: string, body: object) => {
      const options = { body, headers: { 'idempotency-key': '0f0c6a5e-6c2f-4a53-9d3c-3f6c8ad6f6a1' } };
      const answers = [await browser.request('POST', path, options), await browser.request('POST', path, options)];
      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
      return answers.map(({ body: made }) => made as Record<string, string>);
    };
    const [account, sameAccount] = await again('/api/accounts', { name: 'Team' });
    expect(sameAccount).toEqual(account);
    const path = `/api/accounts/${account?.accountId}`;
    const [project, sameProject] = await again(`${path}/projects`, { name: 'Trips' });
    expect(sameProject).toEqual(project);
    const [key, reissued] = await again(`${path}/projects/${project?.projectId}/keys`, {});
    expect(reissued?.keyId).toBe(key?.keyId);
    expect(reissued?.key).not.toBe(key?.key);
    const [member, sameMember] = await again(`${path}/members`, { email: 'once@example.com', role: 'member' });
    expect(sameMember).toEqual(member);
  });

  test.each(['', ' ', 'ä', 'x'.repeat(256)])('refuses %j as such a key', async (key) => {
    const browser = await person(stage().portal);
    const headers = { 'idempotency-key': key };
    const { status, body } = await browser.request('POST', '/api/accounts', { body: { name: 'Team' }, headers });
    expect([status, body]).toEqual([400, expect.objectContaining({ field: 'Idempotency-Key' })]);
  });
});

describe('limits', () => {
  test('hold, and say so', async () => {
    const limits = {
      accountsPerPerson: 1,
      projectsPerAccount: 1,
      projectsPerPeriod: 2,
      activeKeysPerProject: 1,
      membersPerAccount: 1,
      invitationsPerAddress: 1,
      changesPerMinute: 60,
      readsPerMinute: 2,
      signInsPerMinute: 10,
    };
    const portal = testPortal(provider, { limits });
    const { browser, account, project } = await tenantOf(portal);
    expect((await browser.get('/api/session')).body).toMatchObject({ limits });
    const asked = await Promise.all([
      browser.post('/api/accounts', { name: 'Team' }),
      browser.post(`${account}/projects`, { name: 'Trips' }),
      browser.post(`${project}/keys`, {}),
      browser.post(`${account}/members`, { email: 'x@example.com', role: 'member' }),
    ]);
    expect(asked.map(({ body }) => (body as { code: string }).code)).toEqual(Array(4).fill('LIMIT_REACHED'));
    for (const expected of [200, 200, 429]) expect((await browser.get(`${project}/events`)).status).toBe(expected);
    const { headers, body } = await browser.get(`${project}/events/01b92504-8230-7a78-958c-786de2921d1b`);
    expect([body, headers['retry-after']]).toEqual([expect.objectContaining({ code: 'TOO_MANY_REQUESTS' }), '30']);
  });

  test('of changes a minute count what is done, not what is refused', async () => {
    const portal = testPortal(provider, { limits: { ...DEFAULT_LIMITS, changesPerMinute: 4 } });
    const { browser, account } = await tenantOf(portal);
    for (const refused of [
      browser.post(`${account}/projects`, { name: '' }),
      browser.request('POST', `${account}/projects`, { body: { name: 'N' }, headers: { 'sec-fetch-site': 'none' } }),
      browser.post('/api/accounts/acc_4fS0pQ2mXz81LkWd/projects', { name: 'N' }),
    ]) {
      expect((await refused).status).not.toBe(429);
    }
    expect((await browser.patch(account, { name: 'Fourth' })).status).toBe(200);
    const { status, headers } = await browser.patch(account, { name: 'Fifth' });
    expect([status, headers['retry-after']]).toEqual([429, '30']);
    portal.clock.nowMs += MINUTE_MS;
    expect((await browser.patch(account, { name: 'Sixth' })).status).toBe(200);
  });
});

describe('input is refused with the field that is wrong:', () => {
  let tenant: Awaited<ReturnType<typeof tenantOf>>;
  beforeAll(async () => (tenant = await tenantOf(stage().portal)));

  const NAME_RULE = 'A name has 1 to 100 characters, some that can be seen, and no control characters.';
  const ADDRESS = 'Give an e-mail address of ASCII characters, with nothing before or behind it.';
  test.each<[string, string, unknown, string, string?]>([
    ['a name', '/api/accounts', {}, 'name', 'name is missing.'],
    ['an empty name', '/api/accounts', { name: ' \t ' }, 'name', NAME_RULE],
    ['a name that cannot be seen', '/api/accounts', { name: '\u200b\u2060\u3164\ufe0f\u2800' }, 'name'],
    ['a name of 101 characters', '/api/accounts', { name: '🗝'.repeat(101) }, 'name'],
    ['a name with a control character', '/api/accounts', { name: 'a\u0007b' }, 'name'],
    [
      'a name with a key in it',
      '/api/accounts',
      { name: `svc_test_${'0'.repeat(42)}` },
      'name',
      'A name must not hold an API key.',
    ],
    ['a name that is a number', '/api/accounts', { name: 1 }, 'name', NAME_RULE],
    ['an address', 'members', { email: 'x', role: 'member' }, 'email', ADDRESS],
    ['an address that is a list', 'members', { email: [], role: 'member' }, 'email', ADDRESS],
    ['an address of 255 characters', 'members', { email: `${'x'.repeat(243)}@example.com`, role: 'member' }, 'email'],
    ['a role', 'members', { email: 'x@example.com', role: 'admin' }, 'role', 'A role is one of owner, member, viewer.'],
    ['days of 0', 'keys', { expiresInDays: 0 }, 'expiresInDays', 'Give a whole number from 1 to 365.'],
    ['days of 366', 'keys', { expiresInDays: 366 }, 'expiresInDays'],
    ['half days', 'keys', { expiresInDays: 0.5 }, 'expiresInDays'],
    ['days as text', 'keys', { expiresInDays: '1' }, 'expiresInDays'],
    ['0 hours', 'keys', { expiresInHours: 0 }, 'expiresInHours', 'Give a whole number from 1 to 24.'],
    ['25 hours', 'keys', { expiresInHours: 25 }, 'expiresInHours'],
    [
      'days and hours',
      'keys',
      { expiresInDays: 1, expiresInHours: 1 },
      'expiresInHours',
      'Give expiresInDays or expiresInHours, not both.',
    ],
    ['hours of 169', 'rotate', { graceHours: 169 }, 'graceHours', 'Give a whole number from 0 to 168.'],
    ['hours below 0', 'rotate', { graceHours: -1 }, 'graceHours'],
    ['everywhere', '/api/sign-out', { everywhere: 1 }, 'everywhere', 'everywhere is true or false.'],
  ])('%s', async (_what, where, body, field, words = '') => {
    const { browser, account, project, keyId } = tenant;
    const path: Partial<Record<string, string>> = {
      members: `${account}/members`,
      keys: `${project}/keys`,
      rotate: `${project}/keys/${keyId}/rotate`,
    };
    const answer = await browser.post(path[where] ?? where, body);
    const detail = expect.stringContaining(words);
    expect([answer.status, answer.body]).toEqual([
      400,
      expect.objectContaining({ code: 'INVALID_REQUEST', field, detail }),
    ]);
  });
});
