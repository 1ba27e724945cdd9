import {
  NOTICES_STACK_OUTPUTS,
  noticesStackNameOf,
  PORTAL_STACK_OUTPUTS,
  portalStackNameOf,
  STACK_OUTPUTS,
  type Stage,
} from '../../functions/wiring.ts';
import { readStack, readStage, type DeployedStack } from '../admin/aws.ts';
import type { DeploymentGroup } from './deployments.ts';

/** The functions that can be rolled back. */
export const FUNCTIONS = ['metered', 'health', 'portal', 'notices'] as const;
export type RolledBack = (typeof FUNCTIONS)[number];

/** The outputs with each function's name and deployment group. */
const OUTPUTS = {
  metered: [
    STACK_OUTPUTS.meteredFunctionName,
    STACK_OUTPUTS.meteredDeploymentApplication,
    STACK_OUTPUTS.meteredDeploymentGroup,
  ],
  health: [
    STACK_OUTPUTS.healthFunctionName,
    STACK_OUTPUTS.healthDeploymentApplication,
    STACK_OUTPUTS.healthDeploymentGroup,
  ],
  portal: [
    PORTAL_STACK_OUTPUTS.functionName,
    PORTAL_STACK_OUTPUTS.deploymentApplication,
    PORTAL_STACK_OUTPUTS.deploymentGroup,
  ],
  notices: [
    NOTICES_STACK_OUTPUTS.functionName,
    NOTICES_STACK_OUTPUTS.deploymentApplication,
    NOTICES_STACK_OUTPUTS.deploymentGroup,
  ],
} as const;

/** A function of a deployed stage. */
export interface Target {
  readonly functionName: string;
  readonly group: DeploymentGroup;
  /** For questions: `the metered function (Sandbox…) in PROD, account 123456789012, eu-central-1`. */
  readonly words: string;
}

/** Finds a function by the outputs of its stack. Throws an error of one line when it does not exist. */
export async function findTarget(stage: Stage, name: RolledBack): Promise<Target> {
  const stack = await stackOf(stage, name);
  const [functionName, application, group] = OUTPUTS[name];
  const { output, account, region } = stack;
  return {
    functionName: output(functionName),
    group: { applicationName: output(application), deploymentGroupName: output(group) },
    words: `the ${name} function (${output(functionName)}) in ${stage.toUpperCase()}, account ${account}, ${region}`,
  };
}

async function stackOf(stage: Stage, name: RolledBack): Promise<DeployedStack> {
  if (name === 'metered' || name === 'health') return readStage(stage);
  const stack = await readStack(name === 'portal' ? portalStackNameOf(stage) : noticesStackNameOf(stage));
  if (!stack) throw new Error(`The stage ${stage} has no ${name} in this account and region.`);
  return stack;
}
