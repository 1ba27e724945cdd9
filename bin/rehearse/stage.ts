import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { DescribeContinuousBackupsCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { portalStackNameOf, PORTAL_STACK_OUTPUTS, STACK_OUTPUTS, stackNameOf } from '../../functions/wiring.ts';
import { AWS_CLIENT, readStack, readStage } from '../admin/aws.ts';

/** The tag of stacks made by a rehearsal. */
export const OURS = 'sandbox-gateway:rehearsal';
const GATEWAY = stackNameOf('dev');
const PORTAL = portalStackNameOf('dev');
const DATA = `${GATEWAY}-data`;
const STACKS = [DATA, GATEWAY, PORTAL];
const TABLES = [STACK_OUTPUTS.gatewayTableName, STACK_OUTPUTS.usageTableName] as const;
/** Resources with data; of secrets only that of key tags. */
const KEPT = new Set(['AWS::DynamoDB::GlobalTable', 'AWS::Cognito::UserPool', 'AWS::S3::Bucket']);
const SECRET = 'AWS::SecretsManager::Secret';

/** The rehearsal's own reads of AWS. */
export interface Places {
  /** `account 123456789012, eu-central-1`. */
  readonly where: () => Promise<string>;
  /** The names of the stage's stacks, from a rehearsal or not. */
  readonly stacks: () => Promise<{ readonly name: string; readonly isOurs: boolean }[]>;
  readonly isBootstrapped: () => Promise<boolean>;
  readonly output: (name: typeof STACK_OUTPUTS.apiUrl) => Promise<string>;
  readonly portalUrl: () => Promise<string>;
  /** The last moment to which both tables can be restored; undefined: none. */
  readonly restorableUntilMs: () => Promise<number | undefined>;
  /** The resources that remain after the stage is deleted. */
  readonly kept: () => Promise<string[]>;
}

/** By the SDK, in the environment's account and region, or at its endpoint. */
export const places: Places = {
  where: async () => {
    const client = new STSClient(AWS_CLIENT);
    try {
      const [{ Account }, region] = await Promise.all([
        client.send(new GetCallerIdentityCommand()),
        client.config.region(),
      ]);
      return `account ${Account ?? ''}, ${region}`;
    } finally {
      client.destroy();
    }
  },
  stacks: async () => {
    const found = await Promise.all(STACKS.map(async (name) => ({ name, stack: await readStack(name) })));
    return found.flatMap(({ name, stack }) => (stack ? [{ name, isOurs: stack.tags.get(OURS) === 'true' }] : []));
  },
  isBootstrapped: async () => (await readStack('CDKToolkit'))?.status.endsWith('_COMPLETE') ?? false,
  output: async (name) => (await readStage('dev')).output(name),
  portalUrl: async () => {
    const portal = await readStack(PORTAL);
    if (!portal) throw new Error('The stage has no portal.');
    return portal.output(PORTAL_STACK_OUTPUTS.url);
  },
  restorableUntilMs: async () => {
    const { output } = await readStage('dev');
    const client = new DynamoDBClient(AWS_CLIENT);
    try {
      const latest = await Promise.all(
        TABLES.map(async (name) => {
          const command = new DescribeContinuousBackupsCommand({ TableName: output(name) });
          const { ContinuousBackupsDescription } = await client.send(command);
          return ContinuousBackupsDescription?.PointInTimeRecoveryDescription?.LatestRestorableDateTime?.getTime();
        }),
      );
      return latest.includes(undefined) ? undefined : Math.min(...latest.map(Number));
    } finally {
      client.destroy();
    }
  },
  kept: async () => {
    const client = new CloudFormationClient(AWS_CLIENT);
    const names = new Set<string | undefined>();
    try {
      for (const { name } of await places.stacks()) {
        for await (const page of paginateListStackResources({ client }, { StackName: name })) {
          for (const { ResourceType = '', PhysicalResourceId } of page.StackResourceSummaries ?? []) {
            if (KEPT.has(ResourceType) || (ResourceType === SECRET && name === DATA)) names.add(PhysicalResourceId);
          }
        }
      }
    } finally {
      client.destroy();
    }
    // Restored tables belong to no stack.
    const outputs = (await readStack(GATEWAY))?.outputs;
    for (const name of TABLES) names.add(outputs?.get(name));
    return [...names].filter((name) => name !== undefined);
  },
};
