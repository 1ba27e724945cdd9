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
beforeAll(async () => {
  cli = await cliOfGateway();
  accountId = await cli.newAccount();
  const created = await json('project', 'create', '--account', accountId, '--name', 'T', '--quota', '9');
  project = ['--project', String(created.projectId)];
  ({ keyId, key } = await cli.newKey(String(created.projectId)));
});
afterAll(() => cli.close());

test('notice replay says of how many accounts, also of seven days, though it began a moment ago', async () => {
  const { stdout } = await run('notice', 'replay', '--since', '7d', '--account', accountId);
  expect(stdout).toBe('The notices of 1 account are told again where they were not told.\n');
});

test('notice check says of how many projects', async () => {
  expect(await json('notice', 'check', '--account', accountId)).toEqual({ projects: 1, unreadable: 0 });
  expect((await run('notice', 'check', '--account', 'acc_0000000000000000')).status).toBe(1);
});

const created = expect.any(String);
const shown = () => ({ projectId: project[1], name: 'T', accountId, status: 'active', shards: 1, createdAt: created });

/** Each command in its turn: its options, some of its answer, and what the next request of the key then gets. */
const OF_PROJECT: readonly (readonly [string, readonly string[], object, readonly unknown[]])[] = [
  ['project show', [], { quotaLimit: 9, quotaUsed: 1, period: expect.stringMatching(/^\d{4}-\d\d$/) }, [200]],
  ['project update', ['--quota', '1'], { quotaLimit: 1 }, [429, 'QUOTA_EXCEEDED']],
  ['project update', ['--quota', 'none'], { quotaLimit: null }, [200]],
  ['project suspend', [], { status: 'suspended' }, [403, 'PROJECT_SUSPENDED']],
  ['project resume', [], { status: 'active' }, [200]],
];
const OF_KEY: typeof OF_PROJECT = [
  ['key pause', [], { status: 'active', paused: true }, [403, 'API_KEY_PAUSED']],
  ['key resume', [], { paused: false }, [200]],
  ['key update', ['--rpm', '600', '--name', 'Laptop'], { rpm: 600, name: 'Laptop' }, [200]],
  ['key expire', ['--at', '2099-12-31'], { expiresAt: '2099-12-31T00:00:00.000Z' }, [200]],
  ['key expire', ['--at', '2100-01-01', '--extend'], { status: 'active' }, [200]],
  ['key expire', ['--in', '0s'], { status: 'expired' }, [401, 'API_KEY_EXPIRED']],
];

describe('a change holds for the next request, and without a terminal nobody is asked:', () => {
  beforeAll(async () => void (await ping()));
  test.each(OF_PROJECT)('%s %j', async (command, options, answer, [status, code]) => {
    expect(await json(...command.split(' '), ...project, ...options)).toMatchObject({ ...shown(), ...answer });
    expect(await ping()).toMatchObject({ status, code });
  });
  test.each(OF_KEY)('%s %j', async (command, options, answer, [status, code]) => {
    const one = [...project, '--key', keyId];
    expect(await json(...command.split(' '), ...one, ...options)).toMatchObject({ keyId, ...answer });
    expect(await ping()).toMatchObject({ status, code });
    expect((await json('key', 'list', ...project)).keys).toContainEqual(await json('key', 'show', ...one));
  });
});

test('lists and what is shown have the same, for people and as JSON', async () => {
  const account = { accountId, name: 'Team', email: 'new@example.com', createdAt: created };
  expect(await json('account', 'update', '--account', accountId, '--email', account.email)).toEqual(account);
  expect(await json('account', 'show', '--account', accountId)).toEqual(account);
  expect((await json('account', 'list')).accounts).toContainEqual(account);
  expect((await run('account', 'list')).stdout).toMatch(/^ACCOUNT +NAME +E-MAIL +CREATED/);
  const listed = { ...shown(), quotaLimit: null };
  expect(await json('project', 'list', '--account', accountId)).toEqual({ projects: [listed] });
  expect((await json('project', 'list')).projects).toContainEqual(listed);
  expect((await run('project', 'show', ...project)).stdout).toMatch(/^quotaLimit +none$/m);
  const text = (await run('key', 'show', ...project, '--key', keyId)).stdout;
  expect(text).toMatch(/^status +expired$/m);
  expect(text).toMatch(/^lastUsed +\d{4}-\d\d-\d\dT\d\d:\d\dZ$/m);
});

describe('key', () => {
  test('create shows a key once that works, with scope, limit and expiry; list never shows it', async () => {
    const made = await json('key', 'create', ...project, '--mode', 'test', '--name', 'CI', '--rpm', '7');
    expect(Object.keys(made).sort()).toEqual(['key', 'keyId']);
    const answer = await ping(String(made.key));
    expect([answer.status, answer.headers.get('x-ratelimit-limit')]).toEqual([200, '7']);
    const expired = await cli.newKey(project[1] ?? '', '--expires', '0s', '--scope', 'sandbox:invoke');
    expect(await ping(expired.key)).toMatchObject({ code: 'API_KEY_EXPIRED' });
    const listed = await run('key', 'list', ...project, '--json');
    expect(listed.json.keys).toContainEqual({
      keyId: made.keyId,
      name: 'CI',
      mode: 'test',
      paused: false,
      scopes: ['sandbox:invoke'],
      status: 'active',
      rpm: 7,
      unitsLimit: null,
      unitsPeriod: null,
      unitsUsed: null,
      capOf: null,
      createdAt: created,
      expiresAt: null,
      lastFour: String(made.key).slice(-4),
      replacedBy: null,
      // In whole minutes: the minute of the ping, or the next one.
      lastUsed: expect.stringMatching(/T\d\d:\d\d:00\.000Z$/),
    });
    expect(listed.stdout).not.toContain(String(made.key).slice(9));
    const forPeople = await run('key', 'list', ...project);
    expect(forPeople.stdout).toMatch(/^KEY +NAME +LAST4 +MODE/);
    expect(forPeople.stdout).not.toContain('\u001b');
  });

  test('expire sets no later end without --extend', async () => {
    const { keyId: id } = await cli.newKey(project[1] ?? '', '--expires', '1d');
    const { stderr } = await run('key', 'expire', ...project, '--key', id, '--at', '2100-01-01');
    expect(stderr).toMatch(/^error: Key \w+ expires earlier, at .*; only --extend sets a later end\.\n$/);
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
  const update = events.findLastIndex(({ action }) => action === 'key.update');
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
