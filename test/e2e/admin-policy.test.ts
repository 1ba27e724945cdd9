import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { ControlPlane } from '../../functions/accounts/control-plane.ts';
import { addEvent, emptyTally } from '../../functions/core/usage-tally.ts';
import { tallyText } from '../../functions/core/usage-tally-text.ts';
import { createClient, documentClient } from '../../functions/store/client.ts';
import { itemKey } from '../../functions/store/table-items.ts';
import { system } from '../../functions/system.ts';
import { LOCAL_KEY_TAG_SECRETS, LOCAL_TABLES, localAddress } from '../../local/settings.ts';
import { policyFor } from '../../bin/admin/policy-statements.ts';
import { admin } from '../support/admin.ts';
import { end, portOf, startGateway, type RunningGateway } from '../support/processes.ts';
import { join, ownAccount } from '../support/people.ts';
import { grantsOf, guard, isAllowed, usesOf, type Permission } from '../support/iam.ts';
import type { Statement } from '../support/stack.ts';

/** Whose tables are called as in the stack, which is how the test knows them. */
const policy = policyFor('cli', {
  ...{ partition: 'aws', region: 'eu-central-1', account: '123456789012' },
  ...{
    stackName: 'SandboxGateway-prod',
    stage: 'prod',
    keyTagSecretArn: 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:k',
  },
  tables: { gateway: 'prod-TablesGateway', usage: 'prod-TablesUsage' },
}).Statement as Statement[];
const used = new Set<string>();
const denied: Permission[] = [];

/** A database of its own: some commands read all of it. */
let gateway: RunningGateway;
/** In whose hands nothing is refused: what people and the portal do. */
let plane: ControlPlane;

beforeAll(async () => {
  gateway = await startGateway();
  const client = documentClient(createClient({ ...localAddress(0), endpoint: gateway.databaseUrl }));
  const keyTagSecrets = () => Promise.resolve(LOCAL_KEY_TAG_SECRETS);
  plane = { client, tables: LOCAL_TABLES, ...system, actor: () => Promise.resolve('test'), keyTagSecrets };
  const from = DynamoDBDocumentClient.from.bind(DynamoDBDocumentClient);
  // Some commands make a second document client of the same client.
  const guarded = new WeakSet<object>();
  jest.spyOn(DynamoDBDocumentClient, 'from').mockImplementation((client, config) => {
    if (guarded.has(client.middlewareStack)) return from(client, config);
    guarded.add(client.middlewareStack);
    guard(client, policy, (permission, allowed) => {
      if (!allowed) denied.push(permission);
      for (const grant of usesOf(policy, permission)) used.add(grant);
    });
    return from(client, config);
  });
});
afterAll(async () => {
  jest.restoreAllMocks();
  plane.client.destroy();
  await end(gateway);
});

/** Runs a command of the CLI behind the policy. */
async function run(...args: string[]): Promise<Record<string, string>> {
  const port = portOf(gateway.databaseUrl);
  const { status, stderr, json } = await admin([...args, '--local', '--json'], { DYNAMODB_PORT: port });
  expect([args.join(' '), status, stderr]).toEqual([args.join(' '), 0, '']);
  return json as Record<string, string>;
}

test('an operator is granted exactly what the commands of the CLI do: no less, and no more', async () => {
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
  await run('member', 'list', ...account);
  await run('member', 'update', ...account, '--member', memberId, '--role', 'member');
  await run('member', 'remove', ...account, '--member', memberId);
  const { accountId: teamId } = await ownAccount({ plane });
  const { memberId: other } = await join({ plane }, teamId, 'owner');
  const member = ['--account', teamId, '--member', other];
  await run('member', 'sign-out', ...member);
  await run('member', 'remove', ...member);
  await run('usage', 'list', ...project);
  await run('usage', 'summary', ...project);
  const period = new Date().toISOString().slice(0, 'YYYY-MM'.length);
  const keep = async () => {
    const event = { keyId: 'key_1', event: 'request_succeeded', code: null, units: 1, latencyMs: 1 } as const;
    const tally = emptyTally();
    addEvent(tally, event);
    const sum = { tally: tallyText(tally), upTo: `${period}-02T00:00:00.000Z` };
    const Item = { pk: `ROLLUP#${projectId}`, sk: `DAY#${period}-01`, ...sum };
    await plane.client.send(new PutCommand({ TableName: LOCAL_TABLES.gateway, Item }));
  };
  await keep();
  await run('ledger', 'verify', ...project);
  await plane.client.send(
    new PutCommand({ TableName: LOCAL_TABLES.gateway, Item: { ...itemKey.quota(projectId, period), units: 3 } }),
  );
  await run('ledger', 'repair', ...project, '--yes');
  await run('ledger', 'verify', '--all');
  await keep();
  await run('ledger', 'remove-rollups', '--all');
  await run('audit', 'list', ...account);

  expect(denied).toEqual([]);
  expect([...used].sort()).toEqual(grantsOf(policy).sort());
});

test.each<[string, Permission]>([
  ['writing the usage log', { table: 'usage', action: 'dynamodb:PutItem', leadingKeys: ['p'] }],
  ['changing the usage log', { table: 'usage', action: 'dynamodb:UpdateItem', leadingKeys: ['p'] }],
  ['deleting from the usage log', { table: 'usage', action: 'dynamodb:DeleteItem', leadingKeys: ['p'] }],
  ['deleting a project', { table: 'gateway', action: 'dynamodb:DeleteItem', leadingKeys: ['PROJECT#p'] }],
])('an operator is refused %s', (_what, permission) => {
  expect(isAllowed(policy, permission)).toBe(false);
});
