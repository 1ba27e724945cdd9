import { exec } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { createClient, documentClient } from '../../functions/shared/store/client.ts';
import { addressAs, variablesOf } from '../support/door/callers.ts';
import { admin } from '../support/admin.ts';
import { adminProcess, end, portOf, run, startGateway, type RunningGateway } from '../support/processes.ts';

let gateway: RunningGateway;
let projectId: string;
const onLocal = (...args: string[]) => admin([...args, '--local'], { DYNAMODB_PORT: portOf(gateway.databaseUrl) });
const json = async (...args: string[]) => (await onLocal(...args, '--json')).json;
const ping = (key: unknown) =>
  fetch(`${gateway.url}/api/v1/sandbox/ping`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${String(key)}`, 'Content-Type': 'application/json' },
    body: '{}',
  });

beforeAll(async () => {
  gateway = await startGateway();
  const { accountId } = await json('account', 'create', '--name', 'CLI', '--email', 'cli@example.com');
  projectId = String((await json('project', 'create', '--account', String(accountId), '--name', 'CLI')).projectId);
});
afterAll(async () => {
  await end(gateway);
});

describe('key', () => {
  test('create shows a key once that works; list never shows it', async () => {
    const create = ['key', 'create', '--project', projectId, '--mode', 'test', '--name', 'CI', '--local', '--json'];
    const created = await adminProcess(create, { DYNAMODB_PORT: portOf(gateway.databaseUrl) });
    expect(Object.keys(created.json).sort()).toEqual(['key', 'keyId']);
    expect((await ping(created.json.key)).status).toBe(200);
    const listed = await onLocal('key', 'list', '--project', projectId, '--json');
    expect(listed.json.keys).toContainEqual({
      keyId: created.json.keyId,
      name: 'CI',
      mode: 'test',
      paused: false,
      scopes: ['sandbox:invoke'],
      status: 'active',
      rpm: 60,
      unitsLimit: null,
      createdAt: expect.any(String),
      expiresAt: null,
      lastFour: String(created.json.key).slice(-4),
      replacedBy: null,
      // In whole minutes: the minute of the ping, or the next one.
      lastUsed: expect.stringMatching(/T\d\d:\d\d:00\.000Z$/),
    });
    expect(listed.stdout).not.toContain(String(created.json.key).slice(9));
    const forPeople = await onLocal('key', 'list', '--project', projectId);
    expect(forPeople.stdout).toMatch(/^KEY +NAME +LAST4 +MODE/);
    expect(forPeople.stdout).not.toContain('\u001b');
  });

  test('create takes scopes, limit and expiry', async () => {
    const project = ['--project', projectId, '--mode', 'test'];
    const scoped = await json('key', 'create', ...project, '--scope', 'sandbox:invoke');
    expect((await ping(scoped.key)).status).toBe(200);
    const slow = await json('key', 'create', ...project, '--rpm', '7');
    expect((await ping(slow.key)).headers.get('x-ratelimit-limit')).toBe('7');
    const expired = await json('key', 'create', ...project, '--expires', '0s');
    expect(await (await ping(expired.key)).json()).toMatchObject({ code: 'API_KEY_EXPIRED' });
  });

  test('revoke ends a key, and does so again without harm', async () => {
    const { key, keyId } = await json('key', 'create', '--project', projectId, '--mode', 'test');
    for (let i = 0; i < 2; i++) {
      expect((await onLocal('key', 'revoke', '--project', projectId, '--key', String(keyId))).status).toBe(0);
    }
    expect(await (await ping(key)).json()).toMatchObject({ code: 'API_KEY_REVOKED' });
  });

  test('rotate makes a new key like the old one, which works for the grace only', async () => {
    const project = ['--project', projectId];
    const old = await json('key', 'create', ...project, '--mode', 'test', '--rpm', '9');
    const graceful = await json('key', 'rotate', ...project, '--key', String(old.keyId), '--grace', '1h');
    expect((await ping(old.key)).status).toBe(200);
    expect((await ping(graceful.key)).headers.get('x-ratelimit-limit')).toBe('9');
    const rotate = ['key', 'rotate', ...project, '--key', String(graceful.keyId), '--grace', '0s'];
    // In a chain two keys work at most: the caller must say which one ends.
    const refused = await onLocal(...rotate);
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringMatching(`^error: Key ${String(old.keyId)}, which .* works until .*; only --ends `),
    ]);
    const abrupt = await json(...rotate, '--ends', String(old.keyId));
    expect(await (await ping(old.key)).json()).toMatchObject({ code: 'API_KEY_EXPIRED' });
    expect(await (await ping(graceful.key)).json()).toMatchObject({ code: 'API_KEY_EXPIRED' });
    expect((await ping(abrupt.key)).status).toBe(200);
    const again = await onLocal('key', 'rotate', ...project, '--key', String(graceful.keyId));
    expect([again.status, again.stdout, again.stderr]).toEqual([
      ...[1, ''],
      `error: Key ${String(graceful.keyId)} was rotated already; its successor is ${String(abrupt.keyId)}.\n`,
    ]);
    const replacedBy = async (id: unknown) => (await json('key', 'show', ...project, '--key', String(id))).replacedBy;
    expect([await replacedBy(old.keyId), await replacedBy(abrupt.keyId)]).toEqual([graceful.keyId, null]);
  });
});

test('keys are listed by whether they go on or have ended', async () => {
  const { accountId } = await json('account', 'create', '--name', 'K', '--email', 'k@example.com');
  const { projectId: id } = await json('project', 'create', '--account', String(accountId), '--name', 'K');
  const project = ['--project', String(id)];
  const { keyId } = await json('key', 'create', ...project, '--mode', 'test');
  const idsOf = async (...state: string[]) =>
    ((await json('key', 'list', ...project, ...state)).keys as { keyId: string }[]).map((key) => key.keyId);
  const none = await onLocal('key', 'list', ...project, '--state', 'ended');
  expect([none.status, none.stdout]).toEqual([0, 'The project has no ended keys.\n']);
  const { keyId: next } = await json('key', 'rotate', ...project, '--key', String(keyId), '--grace', '0s');
  const keyPages = async () => [await idsOf('--state', 'active'), await idsOf('--state', 'ended'), await idsOf()];
  expect(await keyPages()).toEqual([[next], [keyId], [keyId, next]]);
});

describe('usage and ledger', () => {
  test('list shows events oldest first, within a span and a limit; verify holds them against the counter', async () => {
    const { accountId } = await json('account', 'create', '--name', 'U', '--email', 'u@example.com');
    const quota = ['--quota', '2'];
    const id = (await json('project', 'create', '--account', String(accountId), '--name', 'U', ...quota)).projectId;
    const project = ['--project', String(id)];
    const { key } = await json('key', 'create', ...project, '--mode', 'test');
    const statuses = [await ping(key), await ping(key), await ping(key)].map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 429]);
    const { events } = (await json('usage', 'list', ...project)) as { events: { event: string; occurredAt: string }[] };
    // Two events of the same millisecond have no order.
    expect(events.map(({ event }) => event).sort()).toEqual([
      'quota_rejected',
      'request_succeeded',
      'request_succeeded',
    ]);
    expect(events.map(({ occurredAt }) => occurredAt).sort()).toEqual(events.map(({ occurredAt }) => occurredAt));
    expect((await json('usage', 'list', ...project, '--limit', '1')).events).toEqual(events.slice(0, 1));
    const [, second] = events;
    const since = (await json('usage', 'list', ...project, '--since', second?.occurredAt ?? '')).events;
    expect(since).toEqual(events.filter(({ occurredAt }) => occurredAt >= (second?.occurredAt ?? '')));
    const until = (await json('usage', 'list', ...project, '--until', second?.occurredAt ?? '')).events;
    expect(until).toEqual(events.filter(({ occurredAt }) => occurredAt < (second?.occurredAt ?? '')));
    expect(await json('ledger', 'verify', ...project)).toMatchObject({
      consistent: true,
      quotaUsed: 2,
      ledgerUnits: 2,
    });
  });

  test('verify prints what it found and fails when the ledger is not consistent', async () => {
    const { accountId } = await json('account', 'create', '--name', 'V', '--email', 'v@example.com');
    const id = String((await json('project', 'create', '--account', String(accountId), '--name', 'V')).projectId);
    const client = createClient(addressAs('test', gateway.databaseUrl));
    const period = new Date().toISOString().slice(0, 7);
    const Item = { pk: `PROJECT#${id}`, sk: `QUOTA#${period}`, units: 3 };
    await documentClient(client).send(new PutCommand({ TableName: 'Gateway', Item }));
    client.destroy();
    const result = await onLocal('ledger', 'verify', '--project', id, '--json');
    expect(result.status).toBe(1);
    expect(result.json).toMatchObject({ consistent: false, quotaUsed: 3, ledgerUnits: 0 });
  });
});

describe('what cannot be done gets one clear line, a non-zero exit and an empty stdout', () => {
  const P = 'Project00000';
  const K = 'key_0000000000000000';
  test.each([
    [['project', 'create', '--account', 'acc_x', '--name', 'N'], 'There is no account acc_x.'],
    [['key', 'create', '--project', P, '--mode', 'test'], `There is no project ${P}.`],
    [['key', 'list', '--project', P], `There is no project ${P}.`],
    [['key', 'revoke', '--project', P, '--key', K], `There is no project ${P}.`],
    [['usage', 'list', '--project', P], `There is no project ${P}.`],
    [['ledger', 'verify', '--project', P], `There is no project ${P}.`],
    [
      ['project', 'create', '--account', 'a', '--name', 'N', '--quota', '1000000001'],
      /whole number from 0 to 1000000000 or none/,
    ],
    [['project', 'create', '--account', 'a', '--name', 'N', '--quota', '-1'], /argument missing|whole number/],
    [['project', 'create', '--account', 'a', '--name', ' '], /1 to 100 characters/],
    [['project', 'create', '--account', 'a', '--name', '🗝'.repeat(101)], /1 to 100 characters/],
    [['project', 'create', '--account', 'a', '--name', '🗝'.repeat(100)], 'There is no account a.'],
    [['account', 'create', '--name', 'N', '--email', 'nobody'], /Give an e-mail address/],
    [['key', 'create', '--project', P, '--mode', 'Test'], /Give test or live/],
    [['key', 'list', '--project', P, '--state', 'revoked'], /Give active or ended\./],
    [['key', 'create', '--project', P, '--mode', 'test', '--rpm', '0'], /whole number from 1 to 1000000/],
    [['key', 'create', '--project', P, '--mode', 'test', '--rpm', '1e3'], /whole number/],
    [['key', 'create', '--project', P, '--mode', 'test', '--expires', '90'], /a number and a unit/],
    [['key', 'create', '--project', P, '--mode', 'test', '--expires', '36501d'], /a number and a unit/],
    [['key', 'create', '--project', P, '--mode', 'test', '--scope', 'a:b'], /no such scope. Give sandbox:invoke\./],
    [['usage', 'list', '--project', P, '--since', 'yesterday'], /Give a date or a time/],
    [['usage', 'list', '--project', P, '--since', '2026-13-01'], /Give a date or a time/],
    [['usage', 'list', '--project', P, '--limit', '0'], /whole number from 1/],
    [['usage', 'list', '--project', P, '--since', '2026-02-30'], /Give a date or a time/],
    [['usage', 'list', '--project', P, '--until', '9999-12-31T23:59:59-12:00'], /Give a date or a time/],
    [['account', 'create', '--name', '\u200C\u3164', '--email', 'a@example.com'], /characters that can be seen/],
    [['account', 'create', '--name', '\u202Elive', '--email', 'a@example.com'], /characters that can be seen/],
    [['usage', 'list', '--project', P, '--since', '2026-03-01', '--until', '2026-02-01'], '--since is after --until.'],
    [['key', 'list', '--project', 'x'.repeat(3000)], /Give an id/],
    [['key', 'create', '--mode', 'test'], /required option '--project <id>' not specified/],
    [['key', 'rotate', '--grace', '1h'], /required options '--project <id>', '--key <id>' not specified/],
    [['usage', 'list', '--project', P, '--last', '10001'], /whole number from 1 to 10000/],
    [['usage', 'list', '--project', P, '--last', '1', '--limit', '1'], /cannot be used with option/],
    [['key', 'list', '--project', P, '--stage', 'dev'], /option '--stage .*' cannot be used with option '--local'/],
    [
      ['key', 'list', '--project', P, '--stage', 'Dev'],
      /Give the name of a stage: up to 16 lower-case letters and digits\./,
    ],
  ])('%j', async (args, message) => {
    const { status, stdout, stderr } = await onLocal(...args, '--json');
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
    expect(stderr).not.toMatch(/\n +at /);
  });

  test('an unknown command', async () => {
    const { status, stdout, stderr } = await adminProcess(['key', 'creat'], {});
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: unknown command 'creat'.*\n.*\n?$/);
  });

  const KEY = `svc_test_${'0'.repeat(42)}`;
  test.each([
    [['account', 'create', '--name', KEY, '--email', 'n@example.com']],
    [['account', 'create', '--name', 'N', '--email', `${KEY}@example.com`]],
    [['key', 'create', '--project', P, '--mode', 'test', '--scope', KEY]],
    [['key', 'list', '--project', KEY]],
  ])('a key where it would be stored or shown, which it then is not: %j', async (args) => {
    const { status, stdout, stderr } = await onLocal(...args, '--json');
    expect([status, stdout, stderr]).toEqual([1, '', 'error: An API key does not belong in this option.\n']);
  });

  test.each([
    [['key', 'create', '--project', P, '--mode', KEY]],
    [['key', 'create', '--project', P, '--mode', 'test', '--expires', KEY]],
    [['key', 'list', '--project', P, KEY]],
  ])('a key where it makes no sense, which is not shown: %j', async (args) => {
    const { status, stderr } = await onLocal(...args);
    expect(status).toBe(1);
    expect(stderr).toContain('svc_…');
    expect(stderr).not.toContain(KEY);
  });

  test('a table that is not there', async () => {
    const aws = { AWS_ENDPOINT_URL_DYNAMODB: gateway.databaseUrl, AWS_REGION: 'us-east-1' };
    // The policies do not name these tables, so a caller without permission would get another error.
    const environment = { ...aws, ...variablesOf('test'), GATEWAY_TABLE: 'Other', USAGE_TABLE: 'Other' };
    const result = await adminProcess(['key', 'list', '--project', P], environment);
    expect(result).toMatchObject({ status: 1, stdout: '', stderr: 'error: The database has no such tables.\n' });
  });

  test('an unreachable database', async () => {
    const result = await adminProcess(['key', 'list', '--project', P, '--local'], { DYNAMODB_PORT: '1' });
    expect(result).toMatchObject({ status: 1, stdout: '' });
    expect(result.stderr).toMatch(
      /^error: The database cannot be reached \(.*ECONNREFUSED.*\)\. Is npm start running\? .*\n$/,
    );
  });

  test('no table names and no --local', async () => {
    const result = await adminProcess(['key', 'list', '--project', P], {});
    expect(result).toMatchObject({ status: 1, stdout: '' });
    expect(result.stderr).toMatch(/^error: GATEWAY_TABLE is not set\..*\n$/);
  });
});

describe('without --local', () => {
  test('the AWS environment and the named tables are used', async () => {
    const aws = {
      AWS_ENDPOINT_URL_DYNAMODB: gateway.databaseUrl,
      ...variablesOf('operator'),
      GATEWAY_TABLE: 'Gateway',
      USAGE_TABLE: 'Usage',
    };
    const result = await adminProcess(['key', 'list', '--project', gateway.projectId, '--json'], aws);
    expect(result.json.keys).toHaveLength(1);
  });

  test('--local wins over all of it', async () => {
    const elsewhere = {
      AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:1',
      GATEWAY_TABLE: 'Other',
      USAGE_TABLE: 'Other',
      AWS_PROFILE: 'mine',
      AWS_USE_FIPS_ENDPOINT: 'true',
      AWS_USE_DUALSTACK_ENDPOINT: 'true',
      DYNAMODB_PORT: portOf(gateway.databaseUrl),
    };
    const result = await adminProcess(['key', 'list', '--project', gateway.projectId, '--local', '--json'], elsewhere);
    expect(result.json.keys).toHaveLength(1);
  });
});

test('a reader that has seen enough gets no stack trace', async () => {
  const list = ['key', 'list', '--project', projectId, '--local'];
  const running = run('admin.ts', list, { DYNAMODB_PORT: portOf(gateway.databaseUrl) });
  running.child.stdout.destroy();
  expect(await running.exited).toBe(1);
  expect(running.stderr).toBe('');
});

test('a key that could not be shown is no success', async () => {
  const command = `"${process.execPath}" bin/admin.ts key create --project ${projectId} --mode test --local > /dev/full`;
  const env = { PATH: process.env.PATH ?? '', DYNAMODB_PORT: portOf(gateway.databaseUrl) };
  await expect(promisify(exec)(command, { env })).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error: The output could not be written: .*ENOSPC.*\n$/),
  });
});

test.each([
  ['at a terminal', true, {}, true],
  ['at a terminal with NO_COLOR', true, { NO_COLOR: '1' }, false],
  ['in a pipe, whatever FORCE_COLOR says', false, { FORCE_COLOR: '1' }, false],
])('headings stand out: %s', async (_where, isTTY, variables, bold) => {
  const environment = { DYNAMODB_PORT: portOf(gateway.databaseUrl), ...variables };
  for (const command of [
    ['key', 'list'],
    ['usage', 'list'],
    ['usage', 'summary'],
  ]) {
    const { stdout } = await admin([...command, '--project', projectId, '--local'], environment, isTTY);
    expect(stdout.includes('\u001b[1m')).toBe(bold);
  }
});

describe('help', () => {
  test.each([[['--help']], [['key', '--help']], [['key', 'create', '--help']]])('%j says how', async (args) => {
    const { status, stdout } = await adminProcess(args, {});
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Usage: admin /);
  });
});
