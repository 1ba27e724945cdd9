import { readStack, type DeployedStack } from '../admin/aws.ts';
import { inRegionOf, type SynthesisedStack } from './assembly.ts';
import type { Deployer } from './deployer.ts';

/** A synthesised stack, and what is deployed of it; undefined: nothing. */
export interface StackPair {
  readonly stack: SynthesisedStack;
  readonly deployed: DeployedStack | undefined;
}

/** Looks at what is deployed of stacks. Rejects with an error of one line when it cannot be seen. */
export const lookAt = (stacks: readonly SynthesisedStack[], deployer: Deployer): Promise<StackPair[]> =>
  Promise.all(
    stacks.map(async (stack) => ({ stack, deployed: await readStack(stack.name, inRegionOf(stack, deployer)) })),
  );

/** A creation that failed: nothing can be done with such a stack but to delete it, which the CDK does. */
const FAILED = new Set(['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED']);

/** Whether a stack has been deployed with success, and nobody is at it. */
export const isSettled = ({ deployed }: StackPair): boolean =>
  deployed !== undefined && deployed.status.endsWith('_COMPLETE') && !FAILED.has(deployed.status);

/**
 * The stacks that a deployment creates and that are to be protected from being deleted. Throws an error of one line for
 * one of which the creation has failed and that is protected already: the CDK could not delete it.
 */
export function createdOf(pairs: readonly StackPair[]): SynthesisedStack[] {
  const stuck = pairs.find(({ deployed }) => deployed?.isProtected && FAILED.has(deployed.status));
  if (stuck) {
    const { name, region } = stuck.stack;
    const where = region === undefined ? '' : ` --region ${region}`;
    throw new Error(
      `The creation of ${name} failed, and it is protected from being deleted. Nobody has used it: run aws ` +
        `cloudformation update-termination-protection --no-enable-termination-protection --stack-name ${name}${where} ` +
        'and then this again.',
    );
  }
  const isNew = ({ deployed }: StackPair) =>
    deployed === undefined || FAILED.has(deployed.status) || deployed.status === 'REVIEW_IN_PROGRESS';
  return pairs.filter((pair) => pair.stack.isProtected && isNew(pair)).map(({ stack }) => stack);
}
