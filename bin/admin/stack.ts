import type { Stack } from '@aws-sdk/client-cloudformation';
import { stackNameOf, type STACK_OUTPUTS, type Stage } from '../../functions/wiring.ts';
import { AWS_CLIENT } from './aws-client.ts';
import { reason } from './errors.ts';

/** Gives the text of a stack's output. Throws an error of one line when the stack has none of that name. */
type StackOutputs = (name: (typeof STACK_OUTPUTS)[keyof typeof STACK_OUTPUTS]) => string;

/**
 * Reads the outputs of a stage's deployed stack, in the environment's account and region. Throws an error of one line
 * when there is no such stack, and when it cannot be asked.
 */
export async function readStackOutputs(stage: Stage): Promise<StackOutputs> {
  const stackName = stackNameOf(stage);
  const stack = await describeStack(stackName);
  const outputs = new Map(stack?.Outputs?.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
  return (name) => {
    const value = outputs.get(name);
    if (!value) throw new Error(`The stack ${stackName} has no output ${name}; deploy it with this version.`);
    return value;
  };
}

async function describeStack(stackName: string): Promise<Stack | undefined> {
  // Loaded here only: commands on other tables start without it.
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation');
  const client = new CloudFormationClient(AWS_CLIENT);
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stackName }));
    return Stacks?.[0];
  } catch (error) {
    throw new Error(isAbsence(error) ? noSuchStack(stackName) : unreadable(stackName, error), { cause: error });
  } finally {
    client.destroy();
  }
}

/** CloudFormation has no error of its own for a stack that is not there; its message is all there is to go by. */
const isAbsence = (error: unknown): boolean =>
  error instanceof Error && error.name === 'ValidationError' && error.message.endsWith('does not exist');

const noSuchStack = (stackName: string): string => `There is no stack ${stackName} in this account and region.`;
const unreadable = (stackName: string, error: unknown): string =>
  `The stack ${stackName} cannot be read (${reason(error)}).`;
