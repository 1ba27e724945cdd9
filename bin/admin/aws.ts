import type { Stack } from '@aws-sdk/client-cloudformation';
import { CURRENT_SECRET_VERSION, stackNameOf, type Stage } from '../../lib/stack-names.ts';
import type { OutputName } from '../../lib/stack-outputs.ts';
import { nextStep, reason } from './errors.ts';

/**
 * Timeouts of the CLI's AWS clients: 3 s for a connection and 10 s for an answer, for each attempt. The SDK's defaults
 * are minutes.
 */
export const AWS_CLIENT = {
  requestHandler: {
    connectionTimeout: 3_000,
    requestTimeout: 10_000,
    // Without it the timeout only logs a warning.
    throwOnRequestTimeout: true,
  },
} as const;

/** A deployed stack, and where it is. */
interface DeployedStack {
  /** Returns an output. Throws an error of one line when the stack has none of that name. */
  readonly output: (name: OutputName) => string;
  readonly has: (name: OutputName) => boolean;
  readonly partition: string;
  readonly region: string;
  readonly account: string;
}

/**
 * Reads a stage's deployed stack, in the environment's account and region. Throws an error of one line when there is no
 * such stack, and when the call fails.
 */
export async function readStackOf(stage: Stage): Promise<DeployedStack> {
  const stackName = stackNameOf(stage);
  const stack = await readStack(stackName);
  if (!stack) throw new Error(noSuchStack(stackName));
  return stack;
}

/** As {@link readStackOf}, for any stack; undefined: there is no such stack. */
export async function readStack(stackName: string): Promise<DeployedStack | undefined> {
  const stack = await describeStack(stackName);
  if (!stack) return undefined;
  const outputs = new Map(stack.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  const output = (name: OutputName): string => {
    const value = outputs.get(name);
    if (!value) throw new Error(`The stack ${stackName} has no output ${name}; deploy it with this version.`);
    return value;
  };
  const [, partition = '', , region = '', account = ''] = (stack.StackId ?? '').split(':');
  return { output, has: (name) => outputs.has(name), partition, region, account };
}

async function describeStack(stackName: string): Promise<Stack | undefined> {
  // Loaded only here: commands on other tables start without it.
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation');
  const client = new CloudFormationClient(AWS_CLIENT);
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
    return Stacks?.[0];
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw new Error(`The stack ${stackName} cannot be read (${reason(error)}).${nextStep(error)}`, { cause: error });
  } finally {
    client.destroy();
  }
}

/** CloudFormation has no error code for an absent stack; only its message shows it. */
const isAbsence = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ValidationError' && error.message.endsWith('does not exist');

const noSuchStack = (stackName: string): string =>
  `There is no stack ${stackName} in this account and region: set AWS_PROFILE and AWS_REGION to those of the stage.`;

/**
 * The text of a version of a secret in AWS Secrets Manager; {@link CURRENT_SECRET_VERSION} is the current one. Throws
 * an error of one line, without the text, when it cannot be read.
 */
export async function readSecret(secretArn: string, version: string): Promise<string> {
  // Loaded only here: commands that make no key start without it.
  const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  const client = new SecretsManagerClient(AWS_CLIENT);
  const named = version === CURRENT_SECRET_VERSION ? { VersionStage: version } : { VersionId: version };
  try {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: secretArn, ...named }));
    if (!SecretString) throw new Error('It holds no text');
    return SecretString;
  } catch (error) {
    throw new Error(`No key was made: the secret ${secretArn} cannot be read (${reason(error)}).${nextStep(error)}`, {
      cause: error,
    });
  } finally {
    client.destroy();
  }
}

/** The ARN of the AWS identity whose credentials are used. Rejects with an error of one line when it is unknown. */
export async function callerArn(): Promise<string> {
  // Loaded only here: commands that change nothing start without it.
  const { GetCallerIdentityCommand, STSClient } = await import('@aws-sdk/client-sts');
  const client = new STSClient(AWS_CLIENT);
  try {
    const { Arn } = await client.send(new GetCallerIdentityCommand());
    if (!Arn) throw new Error('The answer names nobody');
    return Arn;
  } catch (error) {
    const refusal = `Nothing was changed, since the audit could not say by whom: AWS STS cannot be asked (${reason(error)}).${nextStep(error)}`;
    throw new Error(refusal, { cause: error });
  } finally {
    client.destroy();
  }
}
