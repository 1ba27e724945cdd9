import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cliOfGateway, type GatewayCli } from '../support/cli.ts';

let cli: GatewayCli;
let accountId: string;
let project: string[];
let keyId: string;
let key: string;
const run = (...args: string[]) => cli.run(...args);
const json = (...args: string[]) => cli.json(...args);
const ping = async (by = key) => {
  const response = await cli.ping(by);
  const { code } = (await response.json()) as { code?: string };
  return { status: response.status, code, headers: response.headers };
};
const actions = async () =>
  ((await json('audit', 'list', '--account', accountId)).events as { action: string }[]).map(({ action }) => action);

beforeAll(async () => {
  cli = await cliOfGateway();
  accountId = await cli.newAccount();
  const created = await json('project', 'create', '--account', accountId, '--name', 'T', '--quota', '9');
  project = ['--project', String(created.projectId)];
  ({ keyId, key } = await cli.newKey(String(created.projectId)));
});
afterAll(() => cli.close());

test('notice replay says of how many accounts', async () => {
  const { stdout } = await run('notice', 'replay', '--since', '1h', '--account', accountId);
  expect(stdout).toBe('The notices of 1 account are told again where they were not told.\n');
});

test('notice check says of how many projects', async () => {
  expect(await json('notice', 'check', '--account', accountId)).toEqual({ projects: 1, unreadable: 0 });
  expect((await run('notice', 'check', '--account', 'acc_0000000000000000')).status).toBe(1);
});

describe('account', () => {
  test('update changes what list and show then say', async () => {
    const update = ['account', 'update', '--account', accountId];
    const changed = await json(...update, '--email', 'new@example.com');
    const account = { accountId, name: 'Team', email: 'new@example.com', createdAt: expect.any(String) };
    expect(changed).toEqual(account);
    expect(await json('account', 'show', '--account', accountId)).toEqual(account);
    expect((await json('account', 'list')).accounts).toContainEqual(account);
    expect((await run('account', 'list')).stdout).toMatch(/^ACCOUNT +NAME +E-MAIL +CREATED/);
  });
});

describe('project', () => {
  test('show, list and update tell of quota and use; a change holds for the next request', async () => {
    expect((await ping()).status).toBe(200);
    const [, projectId] = project;
    const known = {
      projectId,
      name: 'T',
      accountId,
      status: 'active',
      quotaLimit: 9,
      shards: 1,
      createdAt: expect.any(String),
    };
    expect(await json('project', 'show', ...project)).toEqual({
      ...known,
      period: expect.stringMatching(/^\d{4}-\d\d$/),
      quotaUsed: 1,
    });
    expect(await json('project', 'list', '--account', accountId)).toEqual({ projects: [known] });
    expect((await json('project', 'list')).projects).toContainEqual(known);
    expect(await json('project', 'update', ...project, '--quota', '1')).toEqual({ ...known, quotaLimit: 1 });
    expect(await ping()).toMatchObject({ status: 429, code: 'QUOTA_EXCEEDED' });
    expect(await json('project', 'update', ...project, '--quota', 'none')).toEqual({ ...known, quotaLimit: null });
    expect((await run('project', 'show', ...project)).stdout).toMatch(/^quotaLimit +none$/m);
    expect((await ping()).status).toBe(200);
  });

  test('suspend and resume hold for the next request; without a terminal nobody is asked', async () => {
    expect(await json('project', 'suspend', ...project)).toMatchObject({ status: 'suspended' });
    expect(await ping()).toMatchObject({ status: 403, code: 'PROJECT_SUSPENDED' });
    expect((await run('project', 'suspend', ...project, '--yes')).status).toBe(0);
    expect(await json('project', 'resume', ...project)).toMatchObject({ status: 'active' });
    expect((await ping()).status).toBe(200);
    expect((await actions()).slice(-2)).toEqual(['project.suspend', 'project.resume']);
  });
});

describe('key', () => {
  test('create shows a key once that works; list never shows it', async () => {
    const created = await json('key', 'create', ...project, '--mode', 'test', '--name', 'CI');
    expect(Object.keys(created).sort()).toEqual(['key', 'keyId']);
    expect((await ping(String(created.key))).status).toBe(200);
    const listed = await run('key', 'list', ...project, '--json');
    expect(listed.json.keys).toContainEqual({
      keyId: created.keyId,
      name: 'CI',
      mode: 'test',
      paused: false,
      scopes: ['sandbox:invoke'],
      status: 'active',
      rpm: 60,
      unitsLimit: null,
      createdAt: expect.any(String),
      expiresAt: null,
      lastFour: String(created.key).slice(-4),
      replacedBy: null,
      // In whole minutes: the minute of the ping, or the next one.
      lastUsed: expect.stringMatching(/T\d\d:\d\d:00\.000Z$/),
    });
    expect(listed.stdout).not.toContain(String(created.key).slice(9));
    const forPeople = await run('key', 'list', ...project);
    expect(forPeople.stdout).toMatch(/^KEY +NAME +LAST4 +MODE/);
    expect(forPeople.stdout).not.toContain('\u001b');
  });

  test('create takes scope, limit and expiry', async () => {
    const slow = await cli.newKey(project[1] ?? '', '--rpm', '7', '--scope', 'sandbox:invoke');
    const answer = await ping(slow.key);
    expect([answer.status, answer.headers.get('x-ratelimit-limit')]).toEqual([200, '7']);
    const expired = await cli.newKey(project[1] ?? '', '--expires', '0s');
    expect(await ping(expired.key)).toMatchObject({ code: 'API_KEY_EXPIRED' });
  });

  test('rotate takes a grace, and --ends the key that ends with it; list has both kinds', async () => {
    const id = await cli.newProject();
    const of = ['--project', id];
    const none = await run('key', 'list', ...of, '--state', 'ended');
    expect([none.status, none.stdout]).toEqual([0, 'The project has no ended keys.\n']);
    const old = await cli.newKey(id);
    const rotate = (from: unknown, ...options: string[]) =>
      run('key', 'rotate', ...of, '--key', String(from), ...options, '--json');
    const next = (await rotate(old.keyId, '--grace', '1h')).json;
    expect((await ping(old.key)).status).toBe(200);
    const last = (await rotate(next.keyId, '--grace', '0s', '--ends', old.keyId)).json;
    for (const ended of [old.key, String(next.key)])
      expect(await ping(ended)).toMatchObject({ code: 'API_KEY_EXPIRED' });
    expect((await ping(String(last.key))).status).toBe(200);
    const again = await rotate(next.keyId);
    expect([again.status, again.stdout, again.stderr]).toEqual([
      ...[1, ''],
      `error: Key ${String(next.keyId)} was rotated already; its successor is ${String(last.keyId)}.\n`,
    ]);
    const idsOf = async (...state: string[]) =>
      ((await json('key', 'list', ...of, ...state)).keys as { keyId: string }[]).map((one) => one.keyId);
    expect(await idsOf('--state', 'active')).toEqual([last.keyId]);
    expect((await idsOf('--state', 'ended')).sort()).toEqual([old.keyId, next.keyId].sort());
    expect(await idsOf()).toHaveLength(3);
  });

  test('update, expire and show hold for the next request', async () => {
    const one = [...project, '--key', keyId];
    expect(await json('key', 'update', ...one, '--rpm', '600', '--name', 'Laptop')).toMatchObject({
      rpm: 600,
      name: 'Laptop',
    });
    expect((await ping()).headers.get('x-ratelimit-limit')).toBe('600');
    const at = '2099-12-31T00:00:00.000Z';
    expect(await json('key', 'expire', ...one, '--at', '2099-12-31')).toMatchObject({ expiresAt: at });
    expect((await run('key', 'expire', ...one, '--at', '2100-01-01')).stderr).toBe(
      `error: Key ${keyId} expires earlier, at ${at}; only --extend sets a later end.\n`,
    );
    expect((await json('key', 'expire', ...one, '--at', '2100-01-01', '--extend')).status).toBe('active');
    expect(await json('key', 'expire', ...one, '--in', '0s')).toMatchObject({ status: 'expired' });
    expect(await ping()).toMatchObject({ status: 401, code: 'API_KEY_EXPIRED' });
    const shown = await run('key', 'show', ...one);
    expect(shown.stdout).toMatch(/^status +expired$/m);
    expect(shown.stdout).toMatch(/^lastUsed +\d{4}-\d\d-\d\dT\d\d:\d\dZ$/m);
    expect((await json('key', 'list', ...project)).keys).toContainEqual(await json('key', 'show', ...one));
  });

  test('pause and resume hold for the next request', async () => {
    const made = await cli.newKey(project[1] ?? '');
    const one = [...project, '--key', made.keyId];
    expect(await json('key', 'pause', ...one)).toMatchObject({ status: 'active', paused: true });
    expect(await ping(made.key)).toMatchObject({ status: 403, code: 'API_KEY_PAUSED' });
    expect((await run('key', 'list', ...project)).stdout).toMatch(/ paused /);
    expect(await json('key', 'resume', ...one)).toMatchObject({ paused: false });
    expect((await ping(made.key)).status).toBe(200);
  });
});

describe('member', () => {
  test('add invites, once an address; update, list and remove work on invitations too', async () => {
    const add = (email: string, role: string) =>
      run('member', 'add', '--account', accountId, '--email', email, '--name', 'Ada', '--role', role, '--json');
    const { memberId: owner } = (await add('ada@example.com', 'owner')).json;
    const { memberId: other } = (await add('bob@example.com', 'member')).json;
    const again = await add('ADA@example.com', 'member');
    const line = `Member ${String(owner)} has this e-mail address already.`;
    expect([again.status, again.stdout, again.stderr]).toEqual([1, '', `error: ${line}\n`]);
    const member = (command: string, id: unknown, ...rest: string[]) =>
      run('member', command, '--account', accountId, '--member', String(id), ...rest);
    expect((await member('update', other, '--role', 'owner', '--json')).json).toEqual({
      memberId: other,
      role: 'owner',
    });
    const signOut = await member('sign-out', other, '--json');
    const nobody = `Member ${String(other)} has not accepted the invitation: there is nobody to sign out.`;
    expect([signOut.status, signOut.stdout, signOut.stderr]).toEqual([1, '', `error: ${nobody}\n`]);
    // An invited owner is not an owner yet: even the last one can be removed.
    expect((await member('remove', owner, '--json')).json).toEqual({ memberId: owner, removed: true });
    expect((await json('member', 'list', '--account', accountId)).members).toEqual([
      {
        memberId: other,
        name: 'Ada',
        email: 'bob@example.com',
        role: 'owner',
        status: 'invited',
        createdAt: expect.any(String),
      },
    ]);
    expect((await run('member', 'list', '--account', accountId)).stdout).toMatch(/^MEMBER +NAME +E-MAIL +ROLE +STATUS/);
  });
});

test('audit list tells who changed what, oldest first, within a span and a limit', async () => {
  const list = ['audit', 'list', '--account', accountId];
  const { events } = (await json(...list)) as { events: { at: string; actor: string; action: string }[] };
  expect(events.slice(0, 3).map(({ action }) => action)).toEqual(['account.create', 'project.create', 'key.create']);
  expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).sort());
  expect(new Set(events.map(({ actor }) => actor))).toEqual(new Set(['local']));
  const update = events.findIndex(({ action }) => action === 'key.update');
  expect(events[update]).toEqual({
    at: expect.any(String),
    actor: 'local',
    action: 'key.update',
    accountId,
    projectId: project[1],
    keyId,
    memberId: null,
    endpointId: null,
    userId: null,
    actorName: null,
    tokenId: null,
    before: { name: null, rpm: 60 },
    after: { name: 'Laptop', rpm: 600 },
  });
  const span = await json(...list, '--since', events[1]?.at ?? '', '--until', events[update]?.at ?? '', '--limit', '2');
  expect(span.events).toEqual(events.slice(1, 3));
  const text = (await run(...list)).stdout;
  expect(text).toMatch(/^AT +ACTION +SUBJECT +CHANGE +ACTOR/);
  expect(text).toMatch(new RegExp(`key\\.update +${keyId} +name none → Laptop, rpm 60 → 600 +local`));
  expect(text).not.toContain('example.com');
});
