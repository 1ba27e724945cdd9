import {
  GetDeploymentCommand,
  ListDeploymentsCommand,
  StopDeploymentCommand,
  type CodeDeployClient,
} from '@aws-sdk/client-codedeploy';

/** The deployment group that moves the alias of one function. */
export interface DeploymentGroup {
  readonly applicationName: string;
  readonly deploymentGroupName: string;
}

/** A running deployment. */
export interface RunningDeployment {
  readonly deploymentId: string;
  /** Whether it already rolls back another one. */
  readonly isRollback: boolean;
}

/** The running deployment of a group; undefined: there is none. CodeDeploy runs one at a time. */
export async function findRunning(
  client: CodeDeployClient,
  group: DeploymentGroup,
): Promise<RunningDeployment | undefined> {
  const includeOnlyStatuses = ['Created' as const, 'Queued' as const, 'InProgress' as const, 'Ready' as const];
  const { deployments = [] } = await client.send(new ListDeploymentsCommand({ ...group, includeOnlyStatuses }));
  const [deploymentId] = deployments;
  if (deploymentId === undefined) return undefined;
  const { deploymentInfo } = await client.send(new GetDeploymentCommand({ deploymentId }));
  return { deploymentId, isRollback: deploymentInfo?.creator === 'codeDeployRollback' };
}

/** Stops a deployment and has CodeDeploy undo it. A deployment that has ended meanwhile is unchanged. */
export async function stopDeployment(client: CodeDeployClient, deploymentId: string): Promise<void> {
  try {
    await client.send(new StopDeploymentCommand({ deploymentId, autoRollbackEnabled: true }));
  } catch (error) {
    const isOver = error instanceof Error && error.name === 'DeploymentAlreadyCompletedException';
    if (!isOver) throw error;
    throw new Error(`The deployment ${deploymentId} ended meanwhile; nothing was changed. Run this again.`, {
      cause: error,
    });
  }
}
