import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  InvalidRestoreTimeException,
  ResourceNotFoundException,
  TableAlreadyExistsException,
} from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { runProgram } from '../../bin/cli/command-line.ts';
import type { Shell } from '../../bin/cli/shell.ts';
import { restoreProgram } from '../../bin/restore/program.ts';
import { inShell } from '../support/admin.ts';
import { policies, policyOf } from '../support/iam.ts';
import { actionsOf } from '../support/stack.ts';
import { actionsAsked, deployedStack, noStack } from '../support/deployed-stack.ts';

const AT = '2026-11-21T08:00:00Z';
const TARGETS = ['Gateway-prod-20261121-080000', 'Usage-prod-20261121-080000'];
const RESTORE = ['--stage', 'prod', '--to', AT];

const cloudFormation = mockClient(CloudFormationClient);
const dynamoDb = mockClient(DynamoDBClient);
const lambda = mockClient(LambdaClient);
// Other files of this worker use the same classes (test/support/environment.mjs).
afterAll(() => {
  for (const mock of [cloudFormation, dynamoDb, lambda]) mock.restore();
});

interface Table {
  TableStatus: string;
  readonly RestoreSummary: { SourceTableArn: string; RestoreDateTime: Date; RestoreInProgress: boolean };
  DeletionProtectionEnabled?: boolean;
  StreamSpecification?: { readonly StreamEnabled: boolean };
  LatestStreamArn?: string;
  backups?: boolean;
  expiry?: boolean;
  looks: number;
}

/** The parts of AWS that a restore uses; they survive the process of the restore. */
let tables: Map<string, Table>;
let concurrency: Map<string, number>;
/** Calls that change something, in order. */
let changes: string[];
let calls: number;
/** The call at which the process dies, and the deployed tables. */
let diesAt: number;
let deployed: { gateway: string; usage: string; portal: string; notices: string };
/** The commands of the CLI with their tables, and whether the ledgers agree. */
let commands: { args: readonly string[]; env: Shell['env'] }[];
let agrees: boolean;
/** Descriptions of the table before its stream has a name. */
let streamsAfterLooks: number;

/** The command of the last call. */
const nameOf = (calls: readonly { readonly args: readonly object[] }[]): string =>
  calls.at(-1)?.args[0]?.constructor.name ?? '';

class Death extends Error {}
const dies = (): void => {
  if (++calls === diesAt) throw new Death('the process has died');
};
const missing = () => new ResourceNotFoundException({ message: 'not found', $metadata: {} });

/** The input of DynamoDB's commands. */
interface Input {
  readonly TableName?: string;
  readonly SourceTableName: string;
  readonly TargetTableName: string;
  readonly RestoreDateTime: Date;
  readonly StreamSpecification?: { readonly StreamEnabled: boolean };
}
const database: Record<string, (input: Input, table: Table | undefined) => unknown> = {
  DescribeTableCommand: (_input, table) => {
    if (!table) throw missing();
    if (++table.looks > 2) table.TableStatus = 'ACTIVE';
    const { LatestStreamArn, ...unnamed } = table;
    return { Table: LatestStreamArn && table.looks < streamsAfterLooks ? unnamed : table };
  },
  DescribeTimeToLiveCommand: (_input, table) => ({
    TimeToLiveDescription: { TimeToLiveStatus: table?.expiry ? 'ENABLED' : 'DISABLED' },
  }),
  RestoreTableToPointInTimeCommand: ({ SourceTableName, TargetTableName, RestoreDateTime }) => {
    if (RestoreDateTime < new Date('2026-10-20T00:00:00Z')) {
      const $metadata = {};
      throw new InvalidRestoreTimeException({ message: 'It is not within the window.', $metadata });
    }
    if (tables.has(TargetTableName)) throw new TableAlreadyExistsException({ message: 'exists', $metadata: {} });
    const SourceTableArn = `arn:aws:dynamodb:eu-central-1:123456789012:table/${SourceTableName}`;
    const RestoreSummary = { SourceTableArn, RestoreDateTime, RestoreInProgress: true };
    tables.set(TargetTableName, { TableStatus: 'CREATING', RestoreSummary, backups: false, looks: 0 });
    changes.push(`restore ${SourceTableName}`);
  },
  UpdateTimeToLiveCommand: (input, table) => {
    if (table) table.expiry = true;
    changes.push('expiry');
  },
  UpdateTableCommand: ({ TableName, StreamSpecification }, table) => {
    if (table) table.DeletionProtectionEnabled = true;
    if (table && StreamSpecification)
      Object.assign(table, { StreamSpecification, LatestStreamArn: `${TableName}/stream` });
    changes.push(StreamSpecification ? 'protection, stream' : 'protection');
  },
  UpdateContinuousBackupsCommand: (input, table) => {
    if (table) table.backups = true;
    changes.push('backups');
  },
};

/** An AWS in which nothing has been restored. */
function startAnew(): void {
  tables = new Map();
  concurrency = new Map([['portal', 20]]);
  changes = [];
  calls = 0;
}

beforeEach(() => {
  startAnew();
  [diesAt, agrees, streamsAfterLooks] = [Infinity, true, 0];
  commands = [];
  deployed = { gateway: 'Gateway', usage: 'Usage', portal: 'Gateway', notices: 'Gateway' };
  for (const service of [cloudFormation, dynamoDb, lambda]) service.reset();
  cloudFormation.rejects(noStack());
  const gateway = () => ({
    GatewayTableName: deployed.gateway,
    UsageTableName: deployed.usage,
    QuotaPeriod: 'month',
    MeteredFunctionName: 'metered',
    HealthFunctionName: 'health',
  });
  const portal = () => ({
    PortalFunctionName: 'portal',
    PortalConcurrency: '20',
    PortalGatewayTableName: deployed.portal,
  });
  const notices = () => ({ NoticesFunctionName: 'notices', NoticesGatewayTableName: deployed.notices });
  for (const [name, outputs] of Object.entries({
    'SandboxGateway-prod': gateway,
    'SandboxGateway-prod-portal': portal,
    'SandboxGateway-prod-notices': notices,
  })) {
    const stacks = () => ({ Stacks: [deployedStack(name, outputs())] });
    cloudFormation.on(DescribeStacksCommand, { StackName: name }).callsFake(stacks);
  }
  const answer = (made: () => unknown): Promise<unknown> =>
    new Promise((resolve) => {
      const result = made();
      dies();
      resolve(result ?? {});
    });
  dynamoDb.onAnyCommand().callsFake((input: Input) => {
    const name = nameOf(dynamoDb.calls());
    return answer(() => database[name]?.(input, tables.get(input.TableName ?? '')));
  });
  lambda.onAnyCommand().callsFake((input: { FunctionName: string; ReservedConcurrentExecutions?: number }) => {
    const { FunctionName, ReservedConcurrentExecutions } = input;
    const name = nameOf(lambda.calls());
    return answer(() => {
      if (name.startsWith('Put')) concurrency.set(FunctionName, ReservedConcurrentExecutions ?? NaN);
      if (name.startsWith('Delete')) concurrency.delete(FunctionName);
      return { ReservedConcurrentExecutions: concurrency.get(FunctionName) };
    });
  });
});

const restore = (args: string[] = RESTORE, typed?: string) => {
  const admin = (given: readonly string[], shell: Shell): Promise<void> => {
    commands.push({ args: given, env: shell.env });
    if (given.includes('verify') && !agrees) shell.exitCode = 1;
    return Promise.resolve();
  };
  const run: Parameters<typeof inShell>[1] = (given, shell) =>
    runProgram(restoreProgram(shell, { sleep: () => Promise.resolve(), admin }), given, shell);
  const terminal = typed === undefined ? {} : { typed };
  return inShell('bin/restore.ts', run, args, { AWS_REGION: 'eu-central-1' }, true, terminal);
};
const STOPPED = { metered: 0, health: 0, portal: 0, notices: 0 };
const WHOLE = { TableStatus: 'ACTIVE', DeletionProtectionEnabled: true, backups: true, expiry: true };

describe('a restore', () => {
  test('asks what it is about, and without a yes changes nothing', async () => {
    const { status, stderr } = await restore(RESTORE, 'n\n');
    expect(stderr).toContain(`Restore PROD, account 123456789012, eu-central-1, to ${AT}?`);
    expect(stderr).toContain(`  Gateway → ${TARGETS[0]}\n  Usage → ${TARGETS[1]}\n`);
    expect([status, changes, Object.fromEntries(concurrency)]).toEqual([1, [], { portal: 20 }]);
  });

  test('stops the functions, restores both tables to that second with what a restore leaves out, and names what is next', async () => {
    const { status, stdout } = await restore(RESTORE, 'y\n');
    expect(status).toBe(0);
    expect(Object.fromEntries(concurrency)).toEqual(STOPPED);
    expect([...tables.keys()]).toEqual(TARGETS);
    for (const table of tables.values()) {
      expect(table).toMatchObject({ ...WHOLE, RestoreSummary: { RestoreDateTime: new Date(AT) } });
    }
    const on = { GATEWAY_TABLE: TARGETS[0], USAGE_TABLE: TARGETS[1], QUOTA_PERIOD: 'month' };
    expect(commands).toEqual([
      { args: ['ledger', 'remove-rollups', '--all'], env: expect.objectContaining(on) },
      { args: ['ledger', 'verify', '--all', '--period', '2026-11'], env: expect.objectContaining(on) },
    ]);
    expect(stdout).toContain(
      `restoredGatewayStreamArn: '${TARGETS[0]}/stream',\n     restoredUsageTable: '${TARGETS[1]}',`,
    );
    expect([...tables.values()].map(({ StreamSpecification }) => StreamSpecification)).toEqual([
      { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
      undefined,
    ]);
    expect(stdout).toContain('npx cdk deploy --all -c stage=prod -c deployment=allAtOnce');
    expect(stdout).toContain(`npm run restore -- --stage prod --to ${AT}`);
  });

  test('that dies at any call continues when it is run again: each table is restored once', async () => {
    await restore();
    const all = calls;
    expect(all).toBeGreaterThan(15);
    for (let at = 1; at <= all; at++) {
      startAnew();
      diesAt = at;
      expect([at, (await restore()).status]).toEqual([at, 1]);
      diesAt = Infinity;
      expect([at, (await restore()).status]).toEqual([at, 0]);
      expect([...tables.values()]).toMatchObject([WHOLE, WHOLE]);
      expect(Object.fromEntries(concurrency)).toEqual(STOPPED);
      expect(changes.filter((change) => change.startsWith('restore')).sort()).toEqual([
        'restore Gateway',
        'restore Usage',
      ]);
    }
  });

  test('run again after the deployment lets the functions work, each as the settings say', async () => {
    await restore();
    const [gateway = '', usage = ''] = TARGETS;
    deployed = { gateway, usage, portal: gateway, notices: gateway };
    const { status, stdout } = await restore();
    expect([status, Object.fromEntries(concurrency)]).toEqual([0, { portal: 20 }]);
    expect(stdout).toContain('npm run admin -- ledger verify --all --stage prod');
    expect(commands).toHaveLength(2);
  });

  test.each([
    ['portal', { portal: 'Gateway' }, { portal: 0 }],
    ['notices', { notices: 'Gateway' }, { portal: 20, notices: 0 }],
  ])('lets no function work on the tables of before: %s', async (name, before, left) => {
    await restore();
    const [gateway = '', usage = ''] = TARGETS;
    deployed = { gateway, usage, portal: gateway, notices: gateway, ...before };
    const { status, stderr } = await restore();
    expect([status, Object.fromEntries(concurrency)]).toEqual([1, left]);
    expect(stderr).toContain(`Not deployed with the restored tables, so still stopped: ${name}. Deploy all stacks.`);
    // Nor when it is given up: the others work on the restored tables already.
    const givenUp = await restore([...RESTORE, '--give-up'], 'y\n');
    expect([givenUp.status, Object.fromEntries(concurrency)]).toEqual([1, left]);
    expect(givenUp.stderr).toContain('The functions have different tables');
  });

  test('waits for the stream that notices come from, and prints it', async () => {
    streamsAfterLooks = 5;
    const { status, stdout } = await restore();
    expect(status).toBe(0);
    expect(stdout).toContain(`restoredGatewayStreamArn: '${TARGETS[0]}/stream'`);
  });

  test('whose counters do not agree with the events says how to bring them to it, and not to deploy', async () => {
    agrees = false;
    const { status, stdout } = await restore();
    expect(status).toBe(1);
    expect(stdout).toContain(
      `  GATEWAY_TABLE=${TARGETS[0]} USAGE_TABLE=${TARGETS[1]} QUOTA_PERIOD=month npm run admin --`,
    );
    expect(stdout).toContain('npm run admin -- ledger repair --period 2026-11 --project …');
    expect(stdout).not.toContain('cdk deploy');
  });

  test('that is given up lets the functions work on what they have', async () => {
    await restore();
    expect((await restore([...RESTORE, '--give-up'], 'n\n')).status).toBe(1);
    expect(Object.fromEntries(concurrency)).toEqual(STOPPED);
    expect((await restore([...RESTORE, '--give-up'], 'y\n')).status).toBe(0);
    expect([Object.fromEntries(concurrency), [...tables.keys()]]).toEqual([{ portal: 20 }, TARGETS]);
  });

  test('starts nothing in a standby', async () => {
    cloudFormation
      .on(DescribeStacksCommand, { StackName: 'SandboxGateway-prod' })
      .resolves({ Stacks: [deployedStack('SandboxGateway-prod', { Standby: 'true' })] });
    concurrency.set('metered', 0);
    const { status, stderr } = await restore();
    expect([status, stderr]).toEqual([1, expect.stringContaining('prod is a standby, in which nothing may run.')]);
    expect(changes).toEqual([]);
    expect(concurrency.get('metered')).toBe(0);
  });

  test('stops nobody for a moment that cannot be had', async () => {
    const { status, stderr } = await restore(['--stage', 'prod', '--to', '2026-10-19T00:00:00Z']);
    expect([status, stderr]).toEqual([1, expect.stringContaining('It is not within the window.')]);
    expect(Object.fromEntries(concurrency)).toEqual({ portal: 20 });
  });

  test('whose credentials end while it waits says what to do, and to run it again', async () => {
    dynamoDb
      .on(DescribeTimeToLiveCommand)
      .rejects(Object.assign(new Error('At an end.'), { name: 'ExpiredTokenException', $fault: 'client' as const }));
    const { status, stderr } = await restore();
    expect([status, stderr.split('\n').at(-2)]).toEqual([
      1,
      'error: AWS refused (ExpiredTokenException: At an end.). Sign in again: the credentials have expired, or are not of this account. Then run this again: it continues where it was.',
    ]);
  });

  test('takes no table for its own that another restore has made', async () => {
    await restore();
    const [name = ''] = TARGETS;
    const table = tables.get(name);
    if (table) table.RestoreSummary.SourceTableArn = 'arn:aws:dynamodb:eu-central-1:123456789012:table/Other';
    const { status, stderr } = await restore();
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining(`There is a table ${name} already, which is not Gateway`),
    ]);
  });
});

test('its policy grants exactly what it asks of AWS, and what DynamoDB does in its name', async () => {
  await restore();
  await restore([...RESTORE, '--give-up']);
  const asked = actionsAsked({ cloudformation: cloudFormation, dynamodb: dynamoDb, lambda });
  const ofDynamoDb = ['BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'];
  const expected = [...asked, ...ofDynamoDb.map((name) => `dynamodb:${name}`)];
  await policies();
  const granted = policyOf('restore').flatMap(actionsOf);
  expect([...new Set(granted)].sort()).toEqual([...new Set(expected)].sort());
});
