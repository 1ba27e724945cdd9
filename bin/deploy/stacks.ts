import { join } from 'node:path';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { PORTAL_STACK_OUTPUTS } from '../../functions/wiring.ts';
import { CREATED_STACKS } from '../../lib/first-creation.ts';
import { describeAwsError } from '../admin/errors.ts';
import type { Shell } from '../admin/shell.ts';
import { inRegionOf, ofType, readAssembly, type SynthesisedStack } from './assembly.ts';
import { askForMoves, deployFromBack, type Movers } from './bring-back.ts';
import { synthesise, type Cdk } from './cdk.ts';
import { checkConcurrency, readConcurrency } from './concurrency.ts';
import type { Deployer } from './deployer.ts';
import { createdOf, isSettled, lookAt, type StackPair } from './deployed.ts';
import { findMoved, type MovedFunction } from './live.ts';
import type { DeployOptions } from './options.ts';

/** The dependencies of deploying a stage's stacks. */
export interface Deployment {
  /** The folder for synthesised stacks. */
  readonly directory: string;
  readonly deployer: Deployer;
  readonly cdk: Cdk;
  /** The CDK's `deploy` with these options, and the whole command line. */
  readonly run: Cdk;
}

/**
 * Synthesises the stacks, checks what is deployed, and deploys. Returns the exit status. Rejects with an error of one
 * line, before any change, for what would fail later. A check that fails is reported in a line, and the deployment
 * continues.
 */
export async function deployStacks(options: DeployOptions, deployment: Deployment, shell: Shell): Promise<number> {
  const { directory, deployer, cdk, run } = deployment;
  const say = (line: string): void => {
    shell.stderr.write(`${line}\n`);
  };
  const assembly = join(directory, 'stacks');
  const failed = await synthesise(cdk, assembly, options.context);
  if (failed !== 0) return failed;
  const stacks = await readAssembly(assembly);
  const pairs = (await known(() => lookAt(stacks, deployer), say)) ?? [];
  const created = createdOf(pairs);
  // The region of the functions; CloudFront has another one.
  const home = inRegionOf(stacks.find(hasFunctions), deployer);
  const concurrency = await known(() => readConcurrency(home), say);
  const warning = concurrency && checkConcurrency(stacks, reservedBy(pairs), concurrency);
  if (warning !== undefined) say(warning);
  const lambda = new LambdaClient(home);
  try {
    const moved = await movedOf(pairs, { lambda, settings: home }, say);
    const extra = [
      ...(created.length > 0 ? [`${CREATED_STACKS}=${created.map(({ name }) => name).join(',')}`] : []),
      ...(moved.length > 0 ? ['deployment=allAtOnce'] : []),
    ];
    if (extra.length === 0) return await run(['--app', assembly]);
    const first = join(directory, 'first');
    const refused = await synthesise(cdk, first, [...options.context, ...extra]);
    if (refused !== 0) return refused;
    await askForMoves(moved, options.isAnswered, shell);
    const status = await deployFromBack(moved, { lambda, settings: home }, () => run(['--app', first]), say);
    if (status !== 0 || created.length === 0) return status;
    // From now on created resources have deletion protection. This pass needs no change set.
    return await run(['--app', assembly, ...(options.namesMethod ? [] : ['--method', 'direct'])]);
  } finally {
    lambda.destroy();
  }
}

/** The result of a check; undefined: the check failed, and the CDK may still succeed. */
async function known<T>(look: () => Promise<T>, say: (line: string) => void): Promise<T | undefined> {
  try {
    return await look();
  } catch (error) {
    const told = describeAwsError(error);
    say(`${told instanceof Error ? told.message : String(told)} It is not looked at before the deployment.`);
    return undefined;
  }
}

const hasFunctions = ({ resources }: SynthesisedStack): boolean => ofType(resources, 'AWS::Lambda::Alias').length > 0;

/** The concurrency that the deployed stacks reserve. */
const reservedBy = (pairs: readonly StackPair[]): number =>
  pairs.reduce((sum, { deployed }) => sum + Number(deployed?.outputs.get(PORTAL_STACK_OUTPUTS.concurrency) ?? 0), 0);

/** The functions whose alias the deployment moves from another version; others are reported. */
async function movedOf(
  pairs: readonly StackPair[],
  { lambda, settings }: Movers,
  say: (line: string) => void,
): Promise<MovedFunction[]> {
  const settled = pairs.filter((pair) => hasFunctions(pair.stack) && isSettled(pair));
  const found = await known(() => Promise.all(settled.map(({ stack }) => findMoved(stack, lambda, settings))), say);
  const elsewhere = (found ?? []).flat();
  for (const { functionName, deployed, live, change } of elsewhere) {
    if (change === 'none')
      say(`live of ${functionName} stays at version ${live.version}: its version does not change.`);
    if (change !== 'putsBack') continue;
    throw new Error(
      `live of ${functionName} is at version ${live.version}, and CloudFormation would put it back to version ` +
        `${deployed}: something else of the alias changes. Deploy that with a change of the function, or later.`,
    );
  }
  return elsewhere.filter(({ change }) => change === 'moves');
}
