import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { addEvent, emptyTally } from '../../functions/usage/sums/tally.ts';
import { tallyText } from '../../functions/usage/sums/tally-text.ts';
import { createToken } from '../../functions/accounts/tokens/tokens.ts';
import { createEndpoint } from '../../functions/accounts/endpoints/endpoints.ts';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { createOwnAccount } from '../../functions/accounts/team/own-accounts.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { cliAlone, type OwnCli } from '../support/cli.ts';
import { deployedStage, type DeployedStage } from '../support/deployed-stage.ts';
import { startIamProxy, type IamProxy } from '../support/iam-proxy/proxy.ts';
import { grantsOf, policies, policyOf, usesOf, type Permission } from '../support/iam.ts';
import { join, ownAccount } from '../support/people.ts';

await policies();
const policy = policyOf('cli');
const used = new Set<string>();
const onCall = (permission: Permission): void => {
  for (const grant of usesOf(policy, permission)) used.add(grant);
};

/** Some commands read all of the database; `store` has no limits of permission, for people and the portal. */
let cli: OwnCli;
let iamProxy: IamProxy;
let aws: DeployedStage;

beforeAll(async () => {
  cli = await cliAlone();
  iamProxy = await startIamProxy(cli.direct, onCall);
  aws = await deployedStage(iamProxy.endpoint, onCall);
});
afterAll(async () => {
  aws.close();
  // Rejects if a call was refused.
  await iamProxy.close();
  await cli.close();
});

/** Runs a command of the CLI on the stage, with the permissions of the policy only. */
async function run(...args: string[]): Promise<Record<string, string>> {
  const { status, stderr, json } = await aws.run(args);
  expect([args.join(' '), status, stderr]).toEqual([args.join(' '), 0, '']);
  return json as Record<string, string>;
}

test('the platform team is granted exactly what the commands of the CLI do: no less, and no more', async () => {
  const { store, put } = cli;
  await run('quick-start');
  const { accountId = '' } = await run('account', 'create', '--name', 'P', '--email', 'p@example.com');
  const account = ['--account', accountId];
  await run('account', 'list');
  await run('account', 'show', ...account);
  await run('account', 'update', ...account, '--name', 'Q');
  const { projectId = '' } = await run('project', 'create', ...account, '--name', 'P');
  const project = ['--project', projectId];
  for (const command of ['show', 'suspend', 'resume']) await run('project', command, ...project);
  await run('project', 'list', ...account);
  await run('project', 'list');
  await run('project', 'update', ...project, '--quota', '5');
  const { keyId: first = '' } = await run('key', 'create', ...project, '--mode', 'test');
  await run('key', 'list', ...project);
  await run('key', 'show', ...project, '--key', first);
  await run('key', 'update', ...project, '--key', first, '--rpm', '5');
  await run('key', 'expire', ...project, '--key', first, '--in', '1d');
  const { keyId = '' } = await run('key', 'rotate', ...project, '--key', first);
  const { keyId: last = '' } = await run('key', 'rotate', ...project, '--key', keyId, '--ends', first);
  await run('key', 'revoke', ...project, '--key', last);
  const invitation = ['--email', 'm@example.com', '--name', 'M', '--role', 'owner'];
  const { memberId = '' } = await run('member', 'add', ...account, ...invitation);
  const details = { url: 'https://example.com/hooks', kinds: ['key.expiring'] } as const;
  const { endpointId } = await createEndpoint(store, accountId, details);
  const { tokenId } = await createToken(store, accountId, {
    name: 'CI',
    scopes: ['keys:read'],
    lifetimeMs: 86_400_000,
  });
  await run('token', 'list', ...account);
  await run('token', 'revoke', ...account, '--token', tokenId, '--yes');
  await run('endpoint', 'list', ...account);
  await run('endpoint', 'disable', ...account, '--endpoint', endpointId, '--yes');
  await run('member', 'list', ...account);
  await run('member', 'update', ...account, '--member', memberId, '--role', 'member');
  await run('member', 'remove', ...account, '--member', memberId);
  const { accountId: teamId } = await ownAccount({ store });
  const { memberId: other } = await join({ store }, teamId, 'owner');
  const member = ['--account', teamId, '--member', other];
  await run('member', 'sign-out', ...member);
  await run('member', 'remove', ...member);
  const ada = await join({ store }, teamId, 'member', { email: 'ada@example.com' });
  const guest = { email: 'guest@example.com', role: 'member' } as const;
  const theirs = await createOwnAccount(ada.store, { name: 'A', person: ada.profile });
  await inviteMember(await ada.in(theirs), theirs, guest);
  await join({ store }, theirs, 'owner');
  await run('account', 'create', '--name', 'O', '--email', 'o@example.com', '--owner', 'ada@example.com');
  await run('person', 'show', '--email', 'ada@example.com');
  await run('person', 'delete', '--email', 'ada@example.com', '--yes');
  await run('usage', 'list', ...project);
  await run('usage', 'summary', ...project);
  const period = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length);
  const keep = async () => {
    const event = { keyId: 'key_1', event: 'request_succeeded', code: null, units: 1, latencyMs: 1 } as const;
    const tally = emptyTally();
    addEvent(tally, event);
    const sum = { tally: tallyText(tally), upTo: new Date(Date.parse(period) + 86_400_000).toISOString() };
    await put('Gateway', { pk: `ROLLUP#${projectId}`, sk: `DAY#${period}`, ...sum });
  };
  await keep();
  await run('ledger', 'verify', ...project, '--remove-rollups');
  await put('Gateway', { ...itemKey.quota(projectId, period), units: 3 });
  await run('ledger', 'repair', ...project, '--yes');
  await run('ledger', 'verify', '--all');
  await keep();
  await run('ledger', 'remove-rollups', '--all');
  await run('audit', 'list', ...account);
  await run('notice', 'replay', '--since', '1h', ...account);
  await run('notice', 'check', ...account);
  await run('mail', 'find', ...account);
  await run('mail', 'allow', '--email', 'grace@example.com');
  await run('mail', 'allow', ...account);

  expect([...used].sort()).toEqual(grantsOf(policy).sort());
  // A grant of any partition counts as used by every call: a write has none.
  const writes = grantsOf(policy).filter((grant) => /dynamodb:(Put|Update|Delete|ConditionCheck)/.test(grant));
  expect(writes.length).toBeGreaterThan(0);
  expect(writes.filter((grant) => grant.endsWith(' any'))).toEqual([]);
});
