import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { AccountStore } from '../../functions/accounts/account-store.ts';
import { addEvent, emptyTally } from '../../functions/shared/rules/usage-tally.ts';
import { tallyText } from '../../functions/shared/rules/usage-tally-text.ts';
import { createClient, documentClient } from '../../functions/shared/store/client.ts';
import { createToken } from '../../functions/accounts/tokens/tokens.ts';
import { createEndpoint } from '../../functions/accounts/endpoints/endpoints.ts';
import { inviteMember } from '../../functions/accounts/team/invitations.ts';
import { createOwnAccount } from '../../functions/accounts/team/own-accounts.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { system } from '../../functions/shared/system.ts';
import { stackNameOf, STACK_OUTPUTS } from '../../functions/shared/names.ts';
import { LOCAL_KEY_TAG_SECRET, LOCAL_KEY_TAG_SECRETS, LOCAL_TABLES } from '../../local/settings.ts';
import { adminOnAws } from '../support/admin.ts';
import {
  startCloudFormation,
  startSecretsManager,
  startSts,
  type TestCloudFormation,
  type TestSecretsManager,
  type TestSts,
} from '../support/aws-services.ts';
import { addressAs, variablesOf } from '../support/door/callers.ts';
import { openDoor, type Door } from '../support/door/door.ts';
import { grantsOf, isAllowed, OPERATOR_POLICY, usesOf, type Permission } from '../support/iam.ts';
import { join, ownAccount } from '../support/people.ts';
import { end, startGateway, type RunningGateway } from '../support/processes.ts';

const SECRET_ARN = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:KeyTagSecret-AbCdEf';
const OUTPUTS = {
  [STACK_OUTPUTS.apiUrl]: 'https://api.example.com',
  [STACK_OUTPUTS.gatewayTableName]: LOCAL_TABLES.gateway,
  [STACK_OUTPUTS.usageTableName]: LOCAL_TABLES.usage,
  [STACK_OUTPUTS.quotaPeriod]: 'month',
  [STACK_OUTPUTS.defaultRpm]: '60',
  [STACK_OUTPUTS.defaultQuotaUnits]: '500',
  [STACK_OUTPUTS.usageRetentionDays]: '100',
  [STACK_OUTPUTS.keyTagSecretArn]: SECRET_ARN,
  [STACK_OUTPUTS.keyTagSecretVersion]: 'AWSCURRENT',
};
const used = new Set<string>();
const onCall = (permission: Permission): void => {
  for (const grant of usesOf(OPERATOR_POLICY, permission)) used.add(grant);
};

/** A separate database: some commands read all of it. */
let gateway: RunningGateway;
let door: Door;
let [cloudFormation, sts, secretsManager]: [TestCloudFormation?, TestSts?, TestSecretsManager?] = [];
/** A store without limits of permission, for the work of people and of the portal. */
let store: AccountStore;

beforeAll(async () => {
  gateway = await startGateway();
  [door, cloudFormation, sts, secretsManager] = await Promise.all([
    ...([openDoor(gateway.databaseUrl, onCall), startCloudFormation(onCall), startSts()] as const),
    startSecretsManager(SECRET_ARN, onCall),
  ]);
  cloudFormation.stacks.set(stackNameOf('prod'), OUTPUTS);
  sts.arn = 'arn:aws:sts::123456789012:assumed-role/Operators/ada';
  secretsManager.versions.set('AWSCURRENT', LOCAL_KEY_TAG_SECRET);
  const client = documentClient(createClient(addressAs('test', gateway.databaseUrl)));
  const keyTagSecrets = () => Promise.resolve(LOCAL_KEY_TAG_SECRETS);
  store = { client, tables: LOCAL_TABLES, ...system, actor: () => Promise.resolve('test'), keyTagSecrets };
});
afterAll(async () => {
  for (const service of [cloudFormation, sts, secretsManager]) service?.close();
  store.client.destroy();
  // Rejects if a call was refused.
  await door.close();
  await end(gateway);
});

/** Runs a command of the CLI on the stage, with the permissions of the policy only. */
async function run(...args: string[]): Promise<Record<string, string>> {
  const { status, stderr, json } = await adminOnAws([...args, '--stage', 'prod', '--json'], {
    ...variablesOf('operator'),
    AWS_ENDPOINT_URL_DYNAMODB: door.endpoint,
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation?.url ?? '',
    AWS_ENDPOINT_URL_STS: sts?.url ?? '',
    AWS_ENDPOINT_URL_SECRETS_MANAGER: secretsManager?.url ?? '',
  });
  expect([args.join(' '), status, stderr]).toEqual([args.join(' '), 0, '']);
  return json as Record<string, string>;
}

test('the platform team is granted exactly what the commands of the CLI do: no less, and no more', async () => {
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
  const { memberId = '' } = await run(
    'member',
    'add',
    ...account,
    '--email',
    'm@example.com',
    '--name',
    'M',
    '--role',
    'owner',
  );
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
  const period = new Date().toISOString().slice(0, 'YYYY-MM'.length);
  const keep = async () => {
    const event = { keyId: 'key_1', event: 'request_succeeded', code: null, units: 1, latencyMs: 1 } as const;
    const tally = emptyTally();
    addEvent(tally, event);
    const sum = { tally: tallyText(tally), upTo: `${period}-02T00:00:00.000Z` };
    const Item = { pk: `ROLLUP#${projectId}`, sk: `DAY#${period}-01`, ...sum };
    await store.client.send(new PutCommand({ TableName: LOCAL_TABLES.gateway, Item }));
  };
  await keep();
  await run('ledger', 'verify', ...project, '--remove-rollups');
  await store.client.send(
    new PutCommand({ TableName: LOCAL_TABLES.gateway, Item: { ...itemKey.quota(projectId, period), units: 3 } }),
  );
  await run('ledger', 'repair', ...project, '--yes');
  await run('ledger', 'verify', '--all');
  await keep();
  await run('ledger', 'remove-rollups', '--all');
  await run('audit', 'list', ...account);
  await run('notice', 'replay', '--since', '1h', ...account);
  await run('mail', 'find', ...account);
  await run('mail', 'allow', '--email', 'grace@example.com');
  await run('mail', 'allow', ...account);

  expect([...used].sort()).toEqual(grantsOf(OPERATOR_POLICY).sort());
});

test.each<[string, Permission]>([
  ['writing the usage log', { resource: 'usage', action: 'dynamodb:PutItem', leadingKeys: ['p'] }],
  ['changing the usage log', { resource: 'usage', action: 'dynamodb:UpdateItem', leadingKeys: ['p'] }],
  ['deleting from the usage log', { resource: 'usage', action: 'dynamodb:DeleteItem', leadingKeys: ['p'] }],
  ['deleting a project', { resource: 'gateway', action: 'dynamodb:DeleteItem', leadingKeys: ['PROJECT#p'] }],
])('an operator is refused %s', (_what, permission) => {
  expect(isAllowed(OPERATOR_POLICY, permission)).toBe(false);
});
