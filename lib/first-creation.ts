import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** Context that only `npm run deploy` sets: names of the stacks that this deployment creates, separated by commas. */
export const CREATED_STACKS = 'deploy:created-stacks';

/**
 * Whether this deployment creates the stack of a construct. In that deployment, nothing in the stack has deletion
 * protection. Otherwise CloudFormation could not roll back a failed creation, and the next deployment could not delete
 * its remains. After the creation `npm run deploy` deploys once more, without this.
 */
export function isBeingCreated(scope: Construct): boolean {
  const names: unknown = scope.node.tryGetContext(CREATED_STACKS);
  return typeof names === 'string' && names.split(',').includes(Stack.of(scope).stackName);
}
