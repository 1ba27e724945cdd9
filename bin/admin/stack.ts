import type { CloudFormationClientConfig, Stack } from '@aws-sdk/client-cloudformation';
import { stackNameOf, type PORTAL_STACK_OUTPUTS, type STACK_OUTPUTS, type Stage } from '../../functions/wiring.ts';
import { AWS_CLIENT } from './aws-client.ts';
import { nextStep, reason } from './errors.ts';

type OutputNames<Outputs> = Outputs[keyof Outputs];
type OutputName = OutputNames<typeof STACK_OUTPUTS> | OutputNames<typeof PORTAL_STACK_OUTPUTS>;

/** Gives the text of a stack's output. Throws an error of one line when the stack has none of that name. */
type StackOutputs = (name: OutputName) => string;

/** Texts by name. */
type Facts = ReadonlyMap<string | undefined, string | undefined>;

/** A stack that is deployed, and where. */
export interface DeployedStack {
  readonly output: StackOutputs;
  readonly outputs: Facts;
  /** CloudFormation's, such as `UPDATE_COMPLETE`. */
  readonly status: string;
  /** CloudFormation refuses to delete it. */
  readonly isProtected: boolean;
  readonly tags: Facts;
  readonly partition: string;
  readonly region: string;
  readonly account: string;
}

/**
 * Reads the outputs of a stage's deployed stack, in the environment's account and region. Throws an error of one line
 * when there is no such stack, and when it cannot be asked.
 */
export const readStackOutputs = async (stage: Stage): Promise<StackOutputs> => (await readStage(stage)).output;

/** As {@link readStackOutputs}, with where the stack is. */
export async function readStage(stage: Stage): Promise<DeployedStack> {
  const stackName = stackNameOf(stage);
  const stack = await readStack(stackName);
  if (!stack) throw new Error(noSuchStack(stackName));
  return stack;
}

/** As {@link readStage}, of any stack, in the name of anybody; undefined: there is none of that name. */
export async function readStack(
  stackName: string,
  settings: CloudFormationClientConfig = AWS_CLIENT,
): Promise<DeployedStack | undefined> {
  const stack = await describeStack(stackName, settings);
  if (!stack) return undefined;
  const outputs = new Map(stack.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  const output: StackOutputs = (name) => {
    const value = outputs.get(name);
    if (!value) throw new Error(`The stack ${stackName} has no output ${name}; deploy it with this version.`);
    return value;
  };
  const [, partition = '', , region = '', account = ''] = (stack.StackId ?? '').split(':');
  return {
    ...{ output, outputs, partition, region, account },
    status: stack.StackStatus ?? '',
    isProtected: stack.EnableTerminationProtection ?? false,
    tags: new Map(stack.Tags?.map(({ Key, Value }) => [Key, Value])),
  };
}

async function describeStack(stackName: string, settings: CloudFormationClientConfig): Promise<Stack | undefined> {
  // Loaded here only: commands on other tables start without it.
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation');
  const client = new CloudFormationClient(settings);
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

/** CloudFormation has no error of its own for a stack that is not there; its message is all there is to go by. */
const isAbsence = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ValidationError' && error.message.endsWith('does not exist');

const noSuchStack = (stackName: string): string =>
  `There is no stack ${stackName} in this account and region: set AWS_PROFILE and AWS_REGION to those of the stage.`;
