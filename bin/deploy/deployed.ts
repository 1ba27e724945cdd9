import { readStack, type DeployedStack } from '../admin/aws.ts';
import { inRegionOf, type SynthesisedStack } from './assembly.ts';
import type { Deployer } from './deployer.ts';

/** A synthesised stack, and the deployed one; undefined: there is none. */
export interface StackPair {
  readonly stack: SynthesisedStack;
  readonly deployed: DeployedStack | undefined;
}

/** Reads the deployed stacks. Rejects with an error of one line when they cannot be read. */
export const lookAt = (stacks: readonly SynthesisedStack[], deployer: Deployer): Promise<StackPair[]> =>
  Promise.all(
    stacks.map(async (stack) => ({ stack, deployed: await readStack(stack.name, inRegionOf(stack, deployer)) })),
  );

/** A failed creation: such a stack can only be deleted, and the CDK does that. */
const FAILED = new Set(['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED']);

/** Whether a stack was deployed successfully, and no operation is running. */
export const isSettled = ({ deployed }: StackPair): boolean =>
  deployed !== undefined && deployed.status.endsWith('_COMPLETE') && !FAILED.has(deployed.status);

/**
 * The stacks that a deployment creates and that shall have deletion protection. Throws an error of one line for a
 * failed creation with protection: the CDK could not delete it.
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
