import { ArnFormat, Stack } from 'aws-cdk-lib';
import { ManagedPolicy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { stackNameOf } from './stack-names.ts';
import { inPartitions } from './table-grants.ts';
import type { Tables } from './tables.ts';
import { acknowledgeWildcard } from './wildcards.ts';

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

export interface OperatorPoliciesProps {
  readonly stage: string;
  readonly tables: Tables;
  readonly keyTagSecretArn: string;
}

/** What people may be given for a stage: `cli` for every command, `restore` for the further calls of a restore. */
export class OperatorPolicies extends Construct {
  readonly cli: ManagedPolicy;
  readonly restore: ManagedPolicy;

  constructor(
    scope: Construct,
    id: string,
    { stage, tables: { gateway, usage }, keyTagSecretArn }: OperatorPoliciesProps,
  ) {
    super(scope, id);
    const stackName = stackNameOf(stage);
    const arn = (service: string, resource: string, resourceName: string): string =>
      Stack.of(this).formatArn({ service, resource, resourceName });
    const allow = (service: string, actions: readonly string[], ...resources: string[]): PolicyStatement =>
      new PolicyStatement({ actions: actions.map((action) => `${service}:${action}`), resources });
    // Not `dev2` where the stage is `dev`.
    const stacks = ['', '-*'].map((rest) => arn('cloudformation', 'stack', `${stackName}${rest}/*`));
    const functions = Stack.of(this).formatArn({
      service: 'lambda',
      resource: 'function',
      resourceName: `${stackName}-*`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    // Names of restored tables end with the stage and a time.
    const restored = ['Gateway', 'Usage'].map((name) => arn('dynamodb', 'table', `${name}-${stage}-*`));
    const readStacks = allow('cloudformation', ['DescribeStacks'], ...stacks);
    this.cli = new ManagedPolicy(this, 'Cli', {
      description: `What npm run admin does on stage ${stage}`,
      statements: [
        readStacks,
        allow('dynamodb', ['BatchGetItem', 'GetItem', 'Query', 'Scan'], gateway.tableArn),
        allow('dynamodb', ['Query'], usage.tableArn),
        ...Object.entries(WRITES).map(([action, partitions]) => inPartitions(gateway, [action], partitions)),
        allow('secretsmanager', ['GetSecretValue'], keyTagSecretArn),
      ],
    });
    this.restore = new ManagedPolicy(this, 'Restore', {
      description: `What npm run restore does on stage ${stage}, beside npm run admin`,
      statements: [
        readStacks,
        allow('lambda', ['DeleteFunctionConcurrency', 'GetFunctionConcurrency', 'PutFunctionConcurrency'], functions),
        allow('dynamodb', ['RestoreTableToPointInTime'], gateway.tableArn, usage.tableArn, ...restored),
        allow('dynamodb', [...COMPLETES, ...FILLS], ...restored),
      ],
    });
    for (const resource of [...stacks, functions, ...restored]) {
      const reason =
        'CloudFormation ends the names of stacks and functions, a restore those of tables: all are this stage’s.';
      acknowledgeWildcard(this, resource, reason);
    }
  }
}
