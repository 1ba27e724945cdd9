import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { admin } from '../support/admin.ts';
import { cliAlone, type OwnCli } from '../support/cli.ts';
import { someEvent } from '../support/usage-events.ts';

/**
 * A colour and a title by 7-bit and 8-bit escape sequences, a delete character, and characters that reverse or end a
 * line.
 */
const HOSTILE = 'a\u001b[31mb\u001b]0;c\u0007\u009b2Jd\u007fe\u202ef\u2028g\u{e0001}h';
const ESCAPED = 'a\\u{1b}[31mb\\u{1b}]0;c\\u{7}\\u{9b}2Jd\\u{7f}e\\u{202e}f\\u{2028}g\\u{e0001}h';
/** Characters that no output may contain. Line feeds, with or without a carriage return, are allowed. */
const UNSEEN = /(?!\r?\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const REQUEST = '01b92504-8230-7a78-958c-786de2921d1b';
const PROJECT = 'HostileProj1';
const ACCOUNT = 'acc_hostile';

/** A database of its own, since this text in the ledger is no sound one. */
let cli: OwnCli;
const onLocal = (args: readonly string[], isTTY: boolean) =>
  admin([...args, '--local'], { ...cli.here, TERM: 'dumb' }, isTTY);

beforeAll(async () => {
  cli = await cliAlone();
  const { put } = cli;
  const at = '2030-01-15T10:00:30.000Z';
  const named = { name: HOSTILE, email: HOSTILE, createdAt: at };
  await put('Gateway', { pk: `ACCOUNT#${ACCOUNT}`, sk: 'ACCOUNT', accountId: ACCOUNT, ...named });
  await put('Gateway', { pk: 'ACCOUNTS', sk: ACCOUNT, accountId: ACCOUNT });
  await put('Gateway', { pk: `ACCOUNT#${ACCOUNT}`, sk: 'MEMBER#mem_1', memberId: 'mem_1', role: 'owner', ...named });
  const change = { before: { name: HOSTILE }, after: { name: [HOSTILE] } };
  const audit = { at, action: HOSTILE, accountId: ACCOUNT, actor: HOSTILE, ...change };
  await put('Gateway', { pk: `ACCOUNT#${ACCOUNT}`, sk: `AUDIT#${at}#1`, ...audit });
  await put('Gateway', { pk: `ACCOUNT#${ACCOUNT}`, sk: `PROJECT#${PROJECT}`, projectId: PROJECT });
  const project = { projectId: PROJECT, accountId: ACCOUNT, status: 'active', ...named };
  await put('Gateway', { pk: `PROJECT#${PROJECT}`, sk: 'PROJECT', ...project });
  const period = new Date().toISOString().slice(0, 'YYYY-MM'.length);
  const event = someEvent({ projectId: PROJECT, requestId: REQUEST, clientRequestId: HOSTILE, keyId: HOSTILE });
  await put('Usage', { pk: PROJECT, sk: `${event.occurredAt}#${REQUEST}`, ...event, ttl: 4_000_000_000 });
  const units = `${HOSTILE}1`;
  await put('Usage', { pk: PROJECT, sk: `${period}-01T00:00:00.000Z#${HOSTILE}`, ...event, units, period });
});
afterAll(() => cli.close());

const project = ['--project', PROJECT];
const account = ['--account', ACCOUNT];
/** Commands whose output contains the text. */
const COMMANDS = [
  ['usage', 'list', ...project],
  ['usage', 'list', ...project, '--json'],
  ['usage', 'summary', ...project, '--by', 'key'],
  ['usage', 'show', ...project, '--request', REQUEST],
  ['usage', 'export', ...project, '--format', 'jsonl', '--since', '2030-01-01'],
  ['usage', 'export', ...project, '--format', 'csv'],
  ['account', 'show', ...account],
  ['project', 'show', ...project],
  ['member', 'list', ...account],
  ['audit', 'list', ...account],
  ['ledger', 'verify', ...project, '--deep'],
  ['ledger', 'verify', '--all', '--json'],
];

describe('what others have written does not steer the terminal of the platform team', () => {
  test.each(COMMANDS.map((args) => [args.join(' '), args] as const))('admin %s', async (_, args) => {
    const { stdout, stderr } = await onLocal(args, true);
    expect(stdout).toContain('[31m');
    expect(stdout).not.toMatch(UNSEEN);
    expect(stderr).not.toMatch(UNSEEN);
  });

  test('and can still be distinguished: it is shown by its code points', async () => {
    for (const isTTY of [true, false])
      expect((await onLocal(['account', 'show', ...account], isTTY)).stdout).toContain(`name       ${ESCAPED}\n`);
  });
});

describe('in a file or a pipe', () => {
  test('CSV holds what was sent', async () => {
    const { stdout } = await onLocal(['usage', 'export', ...project, '--format', 'csv'], false);
    expect(stdout).toContain(`,${HOSTILE},`);
  });

  test('JSON means what was sent, in characters that can be seen', async () => {
    const { stdout } = await onLocal(['usage', 'show', ...project, '--request', REQUEST, '--json'], false);
    expect(stdout).not.toMatch(UNSEEN);
    expect(JSON.parse(stdout)).toMatchObject({ clientRequestId: HOSTILE });
    const lines = await onLocal(['usage', 'export', ...project, '--format', 'jsonl', '--since', '2030-01-01'], false);
    expect(lines.stdout).not.toMatch(UNSEEN);
    expect(JSON.parse(lines.stdout.split('\n').at(-2) ?? '')).toMatchObject({ clientRequestId: HOSTILE });
  });
});

describe('a refusal is shown without what would steer a terminal', () => {
  test.each([
    [['account', 'create', '--name', HOSTILE, '--email', 'a@example.com']],
    [['account', 'show', '--account', HOSTILE]],
    [['account', HOSTILE]],
    [['account', 'list', `--${HOSTILE}`]],
    [['ledger', 'verify', '--all', '--period', HOSTILE]],
  ])('case %#', async (args) => {
    const { status, stdout, stderr } = await onLocal(args, true);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: /);
    expect(stderr).not.toMatch(UNSEEN);
  });

  test('nor with lines of its own', async () => {
    const { stderr } = await onLocal(['account', 'show', '--account', 'x\nerror: all is well'], true);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });
});
