import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** Context that `npm run deploy` alone sets: names of the stacks that this deployment creates, with commas between. */
export const CREATED_STACKS = 'deploy:created-stacks';

/**
 * Whether this deployment creates the stack of a construct. Nothing in it is protected from being deleted then:
 * CloudFormation could not take a failed creation back, and the next deployment could not delete what is left of it.
 * `npm run deploy` deploys once more after the creation, without this.
 */
export function isBeingCreated(scope: Construct): boolean {
  const names: unknown = scope.node.tryGetContext(CREATED_STACKS);
  return typeof names === 'string' && names.split(',').includes(Stack.of(scope).stackName);
}
