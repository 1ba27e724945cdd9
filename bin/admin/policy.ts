import { Command, Option } from 'commander';
import { stackNameOf, type Stage } from '../../lib/stack-names.ts';
import { paragraphs } from '../cli/command-line.ts';
import { examples } from './session.ts';
import type { Shell } from '../cli/shell.ts';
import { readStackOf } from './aws.ts';
import { readStage } from './values.ts';
import type { TableNames } from '../../functions/shared/store/tables.ts';

const HELP = `
cli: the calls of this CLI's commands on a deployed stage. restore: the further calls of npm run restore. It prints only
JSON, and itself needs the permission cloudformation:DescribeStacks.`;

/** `admin policy …`: prints an IAM policy, and changes nothing. */
export function policyCommand(shell: Shell): Command {
  const command = new Command('policy')
    .description('print the minimal IAM policy of an operator of a deployed stage')
    .requiredOption('--stage <name>', 'the stage', readStage)
    .addOption(new Option('--for <what>', 'the task of the operator').choices(PURPOSES).default('cli'));
  examples(command, 'policy --stage prod', 'policy --stage prod --for restore');
  return command
    .addHelpText('after', paragraphs(HELP))
    .action(async ({ stage, for: purpose }: { stage: Stage; for: Purpose }) => {
      const { output, ...place } = await readStackOf(stage);
      const policy = policyFor(purpose, {
        ...place,
        stage,
        stackName: stackNameOf(stage),
        keyTagSecretArn: output('KeyTagSecretArn'),
        tables: { gateway: output('GatewayTableName'), usage: output('UsageTableName') },
      });
      shell.stdout.write(`${JSON.stringify(policy, null, 2)}\n`);
    });
}

/** The parts of a deployed stage that a policy names. */
interface Deployed {
  readonly partition: string;
  readonly region: string;
  readonly account: string;
  /** The prefix of functions, deployment groups and the portal's stack. */
  readonly stackName: string;
  /** Names of restored tables end with it and a time. */
  readonly stage: string;
  readonly tables: TableNames;
  readonly keyTagSecretArn: string;
}

/** The purposes of a policy. */
const PURPOSES = ['cli', 'restore'] as const;
type Purpose = (typeof PURPOSES)[number];

/** The writes of the CLI's commands, by action and partition of the Gateway table. Events are never written. */
const WRITES = {
  PutItem: ['ACCOUNT#*', 'ACCOUNTS', 'EXPIRING#*', 'INVITED#*', 'KEY#*', 'NOTICES#*', 'PROJECT#*'],
  UpdateItem: ['ACCOUNT#*', 'INVITED#*', 'KEY#*', 'NOTICES#*', 'PROJECT#*', 'TOKEN#*', 'USED#*', 'USER#*'],
  DeleteItem: ['ACCOUNT#*', 'IDENTITY#*', 'INVITED#*', 'MAILED#*', 'ROLLUP#*', 'USER#*'],
  ConditionCheckItem: ['ACCOUNT#*', 'KEY#*', 'PROJECT#*'],
  BatchWriteItem: ['ROLLUP#*'],
};
/**
 * DynamoDB's own calls to the new table, with the permissions of the restoring person; the checks of the ledger make
 * some of them.
 */
const FILLS = ['BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'Scan', 'UpdateItem'];
const COMPLETES = ['DescribeTable', 'DescribeTimeToLive', 'UpdateContinuousBackups', 'UpdateTable', 'UpdateTimeToLive'];

/** The minimal policy for every command of a purpose on a deployed stage. */
export function policyFor(purpose: Purpose, deployed: Deployed) {
  const { partition, region, account, stackName, stage, tables, keyTagSecretArn } = deployed;
  const arn = (service: string, resource: string) => `arn:${partition}:${service}:${region}:${account}:${resource}`;
  const allow = (Sid: string, service: string, actions: readonly string[], Resource: string | string[]) => ({
    Sid,
    Effect: 'Allow',
    Action: actions.map((action) => `${service}:${action}`),
    Resource,
  });
  const [gateway, usage] = [arn('dynamodb', `table/${tables.gateway}`), arn('dynamodb', `table/${tables.usage}`)];
  const restored = ['Gateway', 'Usage'].map((name) => arn('dynamodb', `table/${name}-${stage}-*`));
  const ours = { function: arn('lambda', `function:${stackName}-*`) };
  const stack = allow(
    'ReadStack',
    'cloudformation',
    ['DescribeStacks'],
    // Not `dev2` where the stage is `dev`.
    ['', '-*'].map((rest) => arn('cloudformation', `stack/${stackName}${rest}/*`)),
  );
  const statements = {
    cli: () => [
      stack,
      allow('ReadState', 'dynamodb', ['BatchGetItem', 'GetItem', 'Query', 'Scan'], gateway),
      allow('ReadEvents', 'dynamodb', ['Query'], usage),
      ...Object.entries(WRITES).map(([action, partitions]) => ({
        ...allow(`Allow${action}`, 'dynamodb', [action], gateway),
        // ForAllValues is also true of a request without any.
        Condition: {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': partitions },
          Null: { 'dynamodb:LeadingKeys': 'false' },
        },
      })),
      allow('TagKeys', 'secretsmanager', ['GetSecretValue'], keyTagSecretArn),
    ],
    restore: () => [
      stack,
      allow(
        ...(['StopFunctions', 'lambda'] as const),
        ['DeleteFunctionConcurrency', 'GetFunctionConcurrency', 'PutFunctionConcurrency'],
        ours.function,
      ),
      allow('Restore', 'dynamodb', ['RestoreTableToPointInTime'], [gateway, usage, ...restored]),
      allow('CompleteRestored', 'dynamodb', [...COMPLETES, ...FILLS], restored),
    ],
  };
  return { Version: '2012-10-17', Statement: statements[purpose]() };
}
