import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { admin } from '../support/admin.ts';
import { end, portOf, startGateway, type RunningGateway } from '../support/processes.ts';

let gateway: RunningGateway;
let accountId: string;
let project: string[];
const variables = () => ({ DYNAMODB_PORT: portOf(gateway.databaseUrl) });
const json = async (...args: string[]) => (await admin([...args, '--local', '--json'], variables())).json;
/** Runs a command at a terminal with this input. */
const asked = (typed: string, ...args: string[]) => admin([...args, '--local'], variables(), true, { typed });
const newKey = async (...options: string[]) => {
  const { keyId, key } = await json('key', 'create', ...project, '--mode', 'test', ...options);
  return { keyId: String(keyId), key: String(key), lastFour: String(key).slice(-4) };
};
const ping = async (key: string) => {
  const response = await fetch(`${gateway.url}/api/v1/sandbox/ping`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: '{}',
  });
  return response.status;
};
const status = async (keyId: string) => (await json('key', 'show', ...project, '--key', keyId)).status;

beforeAll(async () => {
  gateway = await startGateway();
  accountId = String((await json('account', 'create', '--name', 'Q', '--email', 'q@example.com')).accountId);
  const created = await json(
    'project',
    'create',
    '--account',
    accountId,
    '--name',
    'Tripplaner\u200d 🗺',
    '--quota',
    '9',
  );
  project = ['--project', String(created.projectId)];
});
afterAll(async () => {
  await end(gateway);
});

describe('a question says what it is about: names, last use and where', () => {
  test('revoke', async () => {
    const { keyId, key, lastFour } = await newKey('--name', 'py');
    const revoke = ['key', 'revoke', ...project, '--key', keyId];
    const no = await asked('n\n', ...revoke);
    expect(no.stderr).toContain(
      `Revoke "py" (…${lastFour}, never used) of project "Tripplaner\u200d 🗺" on this machine?`,
    );
    expect([no.status, no.stderr.endsWith('error: Not confirmed; nothing was changed.\n')]).toEqual([1, true]);
    expect(await ping(key)).toBe(200);
    const yes = await asked('y\n', ...revoke);
    expect(yes.stderr).toContain('last used within the last 2 min');
    expect([yes.status, await ping(key)]).toEqual([0, 401]);
  });

  test('rotate: when the old key ends, also in what it prints', async () => {
    const { keyId } = await newKey('--name', 'rotating');
    const question = await asked('n\n', 'key', 'rotate', ...project, '--key', keyId, '--grace', '0s');
    expect(question.stderr).toContain('The old key is refused from its next request on.');
    const { stderr } = await asked('n\n', 'key', 'rotate', ...project, '--key', keyId);
    expect(stderr).toMatch(/The old key works until \d{4}-\d\d-\d\d \d\d:\d\d UTC\. \[y\/N\]/);
    const rotated = await json('key', 'rotate', ...project, '--key', keyId, '--grace', '1h');
    expect(Object.keys(rotated)).toEqual(['keyId', 'key', 'replacedKeyId', 'replacedExpiresAt']);
    const { expiresAt } = await json('key', 'show', ...project, '--key', keyId);
    expect([rotated.replacedKeyId, rotated.replacedExpiresAt]).toEqual([keyId, expiresAt]);
    // The predecessor in its grace, by name and last use: some clients may still use it.
    const shown = await json('key', 'show', ...project, '--key', keyId);
    const again = ['key', 'rotate', ...project, '--key', String(rotated.keyId)];
    expect((await asked('y\n', ...again)).stderr).toMatch(`only --ends ${keyId} ends it now.`);
    expect((await asked('n\n', ...again, '--ends', keyId)).stderr).toContain(
      `Refused from now on, too: "rotating" (…${String(shown.lastFour)}, never used)`,
    );
  });

  test('a limit below what was counted in this minute, and none above', async () => {
    const { keyId, key } = await newKey('--name', 'limited', '--rpm', '50');
    const update = (rpm: string) => asked('n\n', 'key', 'update', ...project, '--key', keyId, '--rpm', rpm);
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
    const update = (units: string) => asked('n\n', 'key', 'update', ...project, '--key', keyId, '--units', units);
    const refused = await update('2');
    expect(refused.stderr).toMatch(
      /Limit "capped" .* to 2 units\? 2 are counted in \d{4}-\d{2}: its next requests are refused\./,
    );
    expect([refused.status, await ping(key), await ping(key)]).toEqual([1, 200, 429]);
    expect([(await update('5')).status, await ping(key)]).toEqual([0, 200]);
    expect((await update('none')).status).toBe(0);
    // What an earlier cap has counted counts in the next one.
    expect((await update('4')).status).toBe(1);
    expect((await update('5')).status).toBe(0);
    await json('key', 'revoke', ...project, '--key', keyId, '--yes');
  });

  test('suspend, and a quota of no more than is used', async () => {
    const { key } = await newKey();
    const suspended = await asked('n\n', 'project', 'suspend', ...project);
    expect(suspended.stderr).toMatch(/Suspend project "Tripplaner.*" on this machine \(last used .*\)\?/);
    expect(await ping(key)).toBe(200);
    const lowered = await asked('n\n', 'project', 'update', ...project, '--quota', '1');
    expect(lowered.stderr).toMatch(/to 1\? \d are used in \d{4}-\d\d: its next requests are refused\./);
    expect(await json('project', 'show', ...project)).toMatchObject({ quotaLimit: 9, status: 'active' });
    expect((await asked('', 'project', 'update', ...project, '--quota', '1000')).status).toBe(0);
  });

  test('remove a member', async () => {
    const invitation = ['--email', 'ada@example.com', '--name', 'Ada', '--role', 'member'];
    const { memberId } = await json('member', 'add', '--account', accountId, ...invitation);
    const { stderr } = await asked('n\n', 'member', 'remove', '--account', accountId, '--member', String(memberId));
    expect(stderr).toContain('Remove "Ada" (member) from account "Q" on this machine? The invitation is gone then.');
  });
});

describe('what cannot be done is reported without a question', () => {
  test.each(['revoke', 'rotate'])('%s of an unknown key, and of a revoked one', async (action) => {
    const unknown = await asked('y\n', 'key', action, ...project, '--key', 'key_0000000000000000');
    expect([unknown.status, unknown.stderr]).toEqual([
      1,
      expect.stringMatching(/^error: There is no key key_0{16} in/),
    ]);
    const { keyId } = await newKey();
    await json('key', 'revoke', ...project, '--key', keyId);
    const revoked = await asked('y\n', 'key', action, ...project, '--key', keyId);
    expect([revoked.status, revoked.stderr]).toEqual([1, `error: Key ${keyId} is revoked; create a new one.\n`]);
  });
});

test('nobody is asked with --yes, nor where there is no terminal', async () => {
  for (const run of [
    (args: string[]) => asked('', ...args, '--yes'),
    (args: string[]) => admin([...args, '--local'], variables()),
  ]) {
    const { keyId } = await newKey();
    const { status: exit, stderr } = await run(['key', 'revoke', ...project, '--key', keyId]);
    expect([exit, stderr, await status(keyId)]).toEqual([0, '', 'revoked']);
  }
});

test('a live key says that the sandbox refuses it', async () => {
  const create = ['key', 'create', ...project, '--local', '--mode'];
  expect((await admin([...create, 'live'], variables())).stdout).toContain('The sandbox refuses it');
  expect((await admin([...create, 'test'], variables())).stdout).not.toContain('The sandbox refuses it');
});
