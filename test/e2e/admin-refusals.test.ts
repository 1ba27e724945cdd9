import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { admin } from '../support/admin.ts';
import { cliOfGateway, type GatewayCli } from '../support/cli.ts';

let cli: GatewayCli;
beforeAll(async () => {
  cli = await cliOfGateway();
});
afterAll(() => cli.close());

describe('what cannot be done gets one clear line, a non-zero exit and an empty stdout', () => {
  const P = 'Project00000';
  test.each([
    [['project', 'create', '--account', 'acc_x', '--name', 'N'], 'There is no account acc_x.'],
    [['key', 'create', '--project', P, '--mode', 'test'], `There is no project ${P}.`],
    [['ledger', 'verify', '--project', P], `There is no project ${P}.`],
    [
      ['project', 'create', '--account', 'a', '--name', 'N', '--quota', '1000000001'],
      /whole number from 0 to 1000000000 or none/,
    ],
    [['project', 'create', '--account', 'a', '--name', 'N', '--quota', '-1'], /argument missing|whole number/],
    [['project', 'create', '--account', 'a', '--name', '🗝'.repeat(101)], /1 to 100 characters/],
    [['project', 'create', '--account', 'a', '--name', '🗝'.repeat(100)], 'There is no account a.'],
    [['account', 'create', '--name', 'N', '--email', 'nobody'], /Give an e-mail address/],
    [['key', 'create', '--project', P, '--mode', 'Test'], /Give test or live/],
    [['key', 'list', '--project', P, '--state', 'revoked'], /Give active or ended\./],
    [['key', 'create', '--project', P, '--mode', 'test', '--rpm', '0'], /whole number from 1 to 1000000/],
    [['key', 'create', '--project', P, '--mode', 'test', '--rpm', '1e3'], /whole number/],
    [['key', 'create', '--project', P, '--mode', 'test', '--expires', '90'], /a number and a unit/],
    [['key', 'create', '--project', P, '--mode', 'test', '--scope', 'a:b'], /no such scope. Give sandbox:invoke\./],
    [['usage', 'list', '--project', P, '--since', 'yesterday'], /Give a date or a time/],
    [['usage', 'list', '--project', P, '--limit', '0'], /whole number from 1/],
    [['usage', 'list', '--project', P, '--since', '2026-02-30'], /Give a date or a time/],
    [['usage', 'list', '--project', P, '--until', '9999-12-31T23:59:59-12:00'], /Give a date or a time/],
    [['account', 'create', '--name', '\u200C\u3164', '--email', 'a@example.com'], /characters that can be seen/],
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
    [
      ['project', 'update', '--project', P],
      /one of the options '--name <name>' and '--quota <units\|none>' and '--shards <n>' is required/,
    ],
    [
      ['member', 'add', '--account', 'a', '--email', 'a@b.co', '--name', 'N', '--role', 'boss'],
      /Give one of owner, member, viewer/,
    ],
    [['member', 'remove', '--account', 'acc_x', '--member', 'mem_x'], 'There is no account acc_x.'],
    [['audit', 'list', '--account', 'acc_x'], 'There is no account acc_x.'],
    [['key', 'creat'], /^error: unknown command 'creat'/],
  ])('%j', async (args, message) => {
    const { status, stdout, stderr } = await cli.run(...args, '--json');
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
    expect(stderr).not.toMatch(/\n +at /);
  });

  const KEY = `svc_test_${'0'.repeat(42)}`;
  test.each([
    [['account', 'create', '--name', KEY, '--email', 'n@example.com']],
    [['account', 'create', '--name', 'N', '--email', `${KEY}@example.com`]],
    [['key', 'create', '--project', P, '--mode', 'test', '--scope', KEY]],
    [['key', 'list', '--project', KEY]],
  ])('a key where it would be stored or shown, which it then is not: %j', async (args) => {
    const { status, stdout, stderr } = await cli.run(...args, '--json');
    expect([status, stdout, stderr]).toEqual([1, '', 'error: An API key does not belong in this option.\n']);
  });

  test.each([
    [['key', 'create', '--project', P, '--mode', KEY]],
    [['key', 'create', '--project', P, '--mode', 'test', '--expires', KEY]],
    [['key', 'list', '--project', P, KEY]],
  ])('a key where it makes no sense, which is not shown: %j', async (args) => {
    const { status, stderr } = await cli.run(...args);
    expect(status).toBe(1);
    expect(stderr).toContain('svc_…');
    expect(stderr).not.toContain(KEY);
  });

  test('an unreachable database', async () => {
    const result = await admin(['key', 'list', '--project', P, '--local'], { DYNAMODB_PORT: '1' });
    expect(result).toMatchObject({ status: 1, stdout: '' });
    expect(result.stderr).toMatch(
      /^error: The database cannot be reached \(.*ECONNREFUSED.*\)\. Is npm start running\? .*\n$/,
    );
  });
});
