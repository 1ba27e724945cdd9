import {
  GetDeploymentCommand,
  ListDeploymentsCommand,
  StopDeploymentCommand,
  type CodeDeployClient,
} from '@aws-sdk/client-codedeploy';

/** Where CodeDeploy moves the alias of one function. */
export interface DeploymentGroup {
  readonly applicationName: string;
  readonly deploymentGroupName: string;
}

/** A deployment that is not over. */
export interface RunningDeployment {
  readonly deploymentId: string;
  /** It takes back another one already. */
  readonly isRollback: boolean;
}

/** The deployment of a group that is not over; undefined: there is none. CodeDeploy runs one at a time. */
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

/** Stops a deployment and has CodeDeploy take back what it moved; one that has ended meanwhile stays as it is. */
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
