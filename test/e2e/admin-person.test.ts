import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cliOfGateway, type GatewayCli } from '../support/cli.ts';
import { ownAccount } from '../support/people.ts';

let cli: GatewayCli;
beforeAll(async () => {
  cli = await cliOfGateway();
});
afterAll(() => cli.close());

describe('account create', () => {
  test('lets the owner in, and says what to do next', async () => {
    const { run, json } = cli;
    const create = ['account', 'create', '--name', 'O', '--email', 'team@example.com'];
    const alone = await run(...create);
    const [, accountId = ''] = /^accountId {2}(acc_\w+)\n/.exec(alone.stdout) ?? [];
    const next = `member add --account ${accountId} --email team@example.com --name … --role owner --local`;
    expect(alone.stdout).toBe(`accountId  ${accountId}\n\nNext: npm run admin -- ${next}\n`);
    const owned = await json(...create, '--owner', 'ada@example.com');
    expect(Object.keys(owned)).toEqual(['accountId', 'memberId']);
    const { members } = await json('member', 'list', '--account', String(owned.accountId));
    expect(members).toMatchObject([
      { memberId: owned.memberId, email: 'ada@example.com', role: 'owner', status: 'invited' },
    ]);
    const { stdout } = await run(...create, '--owner', 'ada@example.com');
    expect(stdout).toMatch(/\n\nNext: npm run admin -- project create --account acc_\w+ --name … --local\n$/);
    expect((await run(...create, '--owner', 'nobody')).stderr).toContain("'--owner <address>'");
  });
});

describe('a person', () => {
  test('is shown, and deleted when the address is typed; without a terminal only by --yes', async () => {
    const { run, json, asked } = cli;
    const email = `bob.${randomUUID()}@example.com`;
    await json('account', 'create', '--name', 'Team', '--email', email, '--owner', email);
    const shown = await json('person', 'show', '--email', email.toUpperCase());
    expect(shown).toMatchObject({
      people: [],
      invited: [],
      memberships: [{ accountName: 'Team', role: 'owner', status: 'invited' }],
      invitations: [{ expiresAt: expect.any(String) }],
      accounts: [{ name: 'Team', status: 'open' }],
    });
    const { stdout } = await run('person', 'show', '--email', email);
    expect(stdout).toMatch(/^Member of:\nACCOUNT +ROLE +STATUS +NAME +STATE +MEMBER\n/);
    const deletion = ['person', 'delete', '--email', email];
    const alone = await run(...deletion);
    expect([alone.status, alone.stderr]).toEqual([1, 'error: Nobody is there to be asked: give --yes.\n']);
    const no = await asked('y\n', ...deletion);
    expect(no.stderr).toContain(`Type the address ${email}:`);
    expect([no.status, no.stderr.endsWith('error: Not confirmed; nothing was changed.\n')]).toEqual([1, true]);
    expect(await json('person', 'show', '--email', email)).toEqual({ ...shown, email });
    const yes = await asked(`${email}\n`, ...deletion);
    expect([yes.status, yes.stdout]).toEqual([0, expect.stringMatching(/^Deleted\.\n\n.*WHAT REMAINS.*UNTIL.*\n/)]);
    expect((await run('person', 'show', '--email', email)).stdout).toBe('Nothing is stored under this address.\n');
    expect(await json(...deletion, '--yes')).toMatchObject({ deleted: false });
  });

  test('is not deleted as the last owner; nothing is changed', async () => {
    const { run, json } = cli;
    const { email } = (await ownAccount(cli)).owner.profile;
    const before = await json('person', 'show', '--email', email);
    expect(before).toMatchObject({ people: [{ email, sessions: 0 }] });
    const { status, stderr } = await run('person', 'delete', '--email', email, '--yes');
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: This person is the last owner of acc_\w+\.\n$/),
    ]);
    expect(await json('person', 'show', '--email', email)).toEqual(before);
    const other = await run('person', 'delete', '--email', email, '--user', 'usr_0000000000000000', '--yes');
    expect(other.stderr).toBe('error: No person usr_0000000000000000 has this address.\n');
  });
});
