import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createToken } from '../../functions/accounts/tokens/tokens.ts';
import { MS_PER_DAY } from '../../functions/shared/time.ts';
import { cliOfGateway, type GatewayCli } from '../support/cli.ts';

let cli: GatewayCli;
let accountId: string;
let project: string[];
const newKey = async (...options: string[]) => {
  const made = await cli.newKey(project[1] ?? '', ...options);
  return { ...made, lastFour: made.key.slice(-4) };
};
const ping = async (key: string) => (await cli.ping(key)).status;
const show = (keyId: string) => cli.json('key', 'show', ...project, '--key', keyId);

beforeAll(async () => {
  cli = await cliOfGateway();
  accountId = await cli.newAccount();
  const create = ['project', 'create', '--account', accountId, '--name', 'Tripplaner\u200d 🗺', '--quota', '9'];
  project = ['--project', String((await cli.json(...create)).projectId)];
});
afterAll(() => cli.close());

describe('a question says what it is about: names, last use and where', () => {
  test('revoke', async () => {
    const { keyId, key, lastFour } = await newKey('--name', 'py');
    const revoke = ['key', 'revoke', ...project, '--key', keyId];
    const no = await cli.asked('n\n', ...revoke);
    expect(no.stderr).toContain(
      `Revoke "py" (…${lastFour}, never used) of project "Tripplaner\u200d 🗺" on this machine?`,
    );
    expect([no.status, no.stderr.endsWith('error: Not confirmed; nothing was changed.\n')]).toEqual([1, true]);
    expect(await ping(key)).toBe(200);
    const yes = await cli.asked('y\n', ...revoke);
    expect(yes.stderr).toContain('last used within the last 2 min');
    expect([yes.status, await ping(key)]).toEqual([0, 401]);
  });

  test('rotate: when the old key ends, also in what it prints', async () => {
    const { keyId } = await newKey('--name', 'rotating');
    const question = await cli.asked('n\n', 'key', 'rotate', ...project, '--key', keyId, '--grace', '0s');
    expect(question.stderr).toContain('The old key is refused from its next request on.');
    const { stderr } = await cli.asked('n\n', 'key', 'rotate', ...project, '--key', keyId);
    expect(stderr).toMatch(/The old key works until \d{4}-\d\d-\d\d \d\d:\d\d UTC\. \[y\/N\]/);
    const rotated = await cli.json('key', 'rotate', ...project, '--key', keyId, '--grace', '1h');
    expect(Object.keys(rotated)).toEqual(['keyId', 'key', 'replacedKeyId', 'replacedExpiresAt']);
    const shown = await show(keyId);
    expect([rotated.replacedKeyId, rotated.replacedExpiresAt]).toEqual([keyId, shown.expiresAt]);
    // The predecessor in its grace, by name and last use: some clients may still use it.
    const again = ['key', 'rotate', ...project, '--key', String(rotated.keyId)];
    expect((await cli.asked('y\n', ...again)).stderr).toMatch(`only --ends ${keyId} ends it now.`);
    expect((await cli.asked('n\n', ...again, '--ends', keyId)).stderr).toContain(
      `Refused from now on, too: "rotating" (…${String(shown.lastFour)}, never used)`,
    );
  });

  test('a limit below what was counted in this minute, and none above', async () => {
    const { keyId, key } = await newKey('--name', 'limited', '--rpm', '50');
    const update = (rpm: string) => cli.asked('n\n', 'key', 'update', ...project, '--key', keyId, '--rpm', rpm);
    expect((await update('40')).status).toBe(0);
    let refused;
    // A new minute may begin between the ping and the change.
    for (let i = 0; i < 2 && refused?.status !== 1; i++) {
      await ping(key);
      refused = await update('1');
    }
    expect(refused?.stderr).toMatch(
      /Limit "limited" .* to 1 a minute\? 1 were counted in this one: the next is refused\./,
    );
  });

  test('a cap of no more than is counted under it, and none above; to take it needs no question', async () => {
    const { keyId, key } = await newKey('--name', 'capped', '--units', '3');
    expect([await ping(key), await ping(key)]).toEqual([200, 200]);
    const update = (units: string) => cli.asked('n\n', 'key', 'update', ...project, '--key', keyId, '--units', units);
    const refused = await update('2');
    expect(refused.stderr).toMatch(
      /Limit "capped" .* to 2 units\? 2 are counted in \d{4}-\d{2}: its next requests are refused\./,
    );
    expect([refused.status, await ping(key), await ping(key)]).toEqual([1, 200, 429]);
    expect([(await update('5')).status, await ping(key)]).toEqual([0, 200]);
    expect((await update('none')).status).toBe(0);
    await cli.json('key', 'revoke', ...project, '--key', keyId, '--yes');
  });

  test('suspend, and a quota of no more than is used', async () => {
    const { key } = await newKey();
    const suspended = await cli.asked('n\n', 'project', 'suspend', ...project);
    expect(suspended.stderr).toMatch(/Suspend project "Tripplaner.*" on this machine \(last used .*\)\?/);
    expect(await ping(key)).toBe(200);
    const lowered = await cli.asked('n\n', 'project', 'update', ...project, '--quota', '1');
    expect(lowered.stderr).toMatch(/to 1\? \d are used in \d{4}-\d\d: its next requests are refused\./);
    expect(await cli.json('project', 'show', ...project)).toMatchObject({ quotaLimit: 9, status: 'active' });
    expect((await cli.asked('', 'project', 'update', ...project, '--quota', '1000')).status).toBe(0);
  });

  test('another period of a cap in which it is used up, and the limit that keys share, with what all of them spent', async () => {
    const { keyId, key } = await newKey('--name', 'agent', '--units', '2', '--per', 'once');
    expect([await ping(key), await ping(key), await ping(key)]).toEqual([200, 200, 429]);
    const update = (id: string, ...asked: string[]) =>
      cli.asked('n\n', 'key', 'update', ...project, '--key', id, ...asked);
    // Nothing is counted by day yet, and by once it is used up.
    expect((await update(keyId, '--per', 'day')).status).toBe(0);
    expect((await update(keyId, '--per', 'once')).stderr).toMatch(
      /Limit "agent" .* to 2 units\? 2 are counted so far: its next requests are refused\./,
    );
    expect((await update(keyId, '--units', '9', '--per', 'once')).status).toBe(0);
    const second = await newKey('--name', 'helper', '--cap-of', keyId);
    expect(await ping(second.key)).toBe(200);
    const shared = { unitsLimit: 9, unitsPeriod: 'once', unitsUsed: 3 };
    expect(await cli.json('key', 'show', ...project, '--key', keyId)).toMatchObject({ ...shared, capOf: null });
    expect(await cli.json('key', 'show', ...project, '--key', second.keyId)).toMatchObject({ ...shared, capOf: keyId });
    expect((await update(second.keyId, '--units', '3')).stderr).toMatch(
      /Limit "helper" .* to 3 units\? 3 are counted so far/,
    );
    expect(await cli.json('key', 'update', ...project, '--key', second.keyId, '--units', '0', '--yes')).toMatchObject({
      unitsLimit: 0,
    });
    expect([await ping(key), await ping(second.key)]).toEqual([429, 429]);
    const { stdout } = await cli.run('key', 'list', ...project);
    expect(stdout).toMatch(/ UNITS +PER +CAP OF +/);
    expect(stdout).toMatch(new RegExp(`helper .* 0 +once +${keyId} `));
    for (const [asked, line] of [
      [['update', '--key', second.keyId, '--units', 'none', '--yes'], 'shares its limit of units'],
      [['update', '--key', second.keyId, '--rpm', '181', '--yes'], 'at most 180 a minute'],
      [['create', '--mode', 'test', '--per', 'day'], 'has no limit of units'],
      [['create', '--mode', 'test', '--per', 'year'], 'Give one of day, week, month, once'],
      [['create', '--mode', 'test', '--cap-of', keyId, '--units', '1'], 'cannot be used with option'],
    ] as const) {
      const [command, ...options] = asked;
      const { status, stderr } = await cli.run('key', command, ...project, ...options);
      expect([asked, status !== 0, stderr]).toEqual([asked, true, expect.stringContaining(line)]);
    }
    for (const id of [keyId, second.keyId]) await cli.json('key', 'revoke', ...project, '--key', id, '--yes');
  });

  test('revoke a management token, and remove a member', async () => {
    const details = { name: 'CI', scopes: ['keys:read'], lifetimeMs: MS_PER_DAY } as const;
    const { tokenId } = await createToken(cli.store, accountId, details);
    expect((await cli.asked('n\n', 'token', 'revoke', '--account', accountId, '--token', tokenId)).stderr).toContain(
      `Revoke token ${tokenId} ("CI", never used) of account "Team" on this machine?`,
    );
    const invitation = ['--email', 'ada@example.com', '--name', 'Ada', '--role', 'member'];
    const { memberId } = await cli.json('member', 'add', '--account', accountId, ...invitation);
    const { stderr } = await cli.asked('n\n', 'member', 'remove', '--account', accountId, '--member', String(memberId));
    expect(stderr).toContain('Remove "Ada" (member) from account "Team" on this machine? The invitation is gone then.');
  });
});

describe('what cannot be done is reported without a question', () => {
  test.each(['revoke', 'rotate'])('%s of an unknown key, and of a revoked one', async (action) => {
    const unknown = await cli.asked('y\n', 'key', action, ...project, '--key', 'key_0000000000000000');
    expect([unknown.status, unknown.stderr]).toEqual([
      1,
      expect.stringMatching(/^error: There is no key key_0{16} in/),
    ]);
    const { keyId } = await newKey();
    await cli.json('key', 'revoke', ...project, '--key', keyId);
    const revoked = await cli.asked('y\n', 'key', action, ...project, '--key', keyId);
    expect([revoked.status, revoked.stderr]).toEqual([1, `error: Key ${keyId} is revoked; create a new one.\n`]);
  });
});

test('nobody is asked with --yes, nor where there is no terminal; to revoke again does no harm', async () => {
  const { keyId } = await newKey();
  const revoke = ['key', 'revoke', ...project, '--key', keyId];
  for (const revoked of [await cli.asked('', ...revoke, '--yes'), await cli.run(...revoke)]) {
    expect([revoked.status, revoked.stderr, (await show(keyId)).status]).toEqual([0, '', 'revoked']);
  }
});

test('a live key says that the sandbox refuses it', async () => {
  const create = ['key', 'create', ...project, '--mode'];
  expect((await cli.run(...create, 'live')).stdout).toContain('The sandbox refuses it');
  expect((await cli.run(...create, 'test')).stdout).not.toContain('The sandbox refuses it');
});
