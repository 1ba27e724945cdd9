import type { CloudFormationClientConfig } from '@aws-sdk/client-cloudformation';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import { confirm } from '../admin/confirm.ts';
import { reason } from '../admin/errors.ts';
import type { Shell } from '../admin/shell.ts';
import { readStack } from '../admin/aws.ts';
import { moveLive, readLive } from '../rollback/versions.ts';
import type { MovedFunction } from './live.ts';

/*
 * CloudFormation has CodeDeploy move the alias `live` from the version that the stack deployed last. CodeDeploy refuses
 * if the alias is at another version, or at two: after a rollback the next deployment would fail. So the alias is moved
 * back first, as late as possible. The deployment is then made at once, whatever the stage's setting: during a canary,
 * the rolled-back version would get nine tenths of the requests for ten minutes.
 */

/** The clients that move aliases, and the credentials that read stacks. */
export interface Movers {
  readonly lambda: LambdaClient;
  readonly settings: CloudFormationClientConfig;
}

/**
 * Says which versions get requests during the deployment. Asks for confirmation at a terminal, unless an option has
 * confirmed it.
 */
export async function askForMoves(moved: readonly MovedFunction[], isAnswered: boolean, shell: Shell): Promise<void> {
  if (moved.length === 0) return;
  for (const { functionName, deployed, live } of moved) {
    const at = live.canary ? `versions ${live.version} and ${live.canary.version}` : `version ${live.version}`;
    shell.stderr.write(
      `live of ${functionName} is at ${at}, and can be deployed from version ${deployed} only, which the last ` +
        `deployment made live. Version ${deployed} gets all requests until the new one is live, a minute or two.\n`,
    );
  }
  const question = `Give them these requests, and deploy at once, without a canary?`;
  if (!isAnswered && shell.stdin.isTTY) await confirm(question, { input: shell.stdin, output: shell.stderr });
}

/** Moves aliases back, deploys, and restores the aliases when that fails. Returns the exit status. */
export async function deployFromBack(
  moved: readonly MovedFunction[],
  { lambda, settings }: Movers,
  deploy: () => Promise<number>,
  say: (line: string) => void,
): Promise<number> {
  const brought: MovedFunction[] = [];
  let status = 1;
  try {
    for (const one of moved) {
      await moveLive(lambda, one.functionName, one.deployed, one.live);
      brought.push(one);
    }
    status = await deploy();
    return status;
  } finally {
    if (status !== 0) for (const one of brought) say(await putBack(one, { lambda, settings }));
  }
}

/** Restores an alias, unless CloudFormation still has to move it. Returns its present version. */
async function putBack(
  { stackName, functionName, deployed, live }: MovedFunction,
  { lambda, settings }: Movers,
): Promise<string> {
  try {
    const stack = await readStack(stackName, settings);
    if (stack?.status.endsWith('_IN_PROGRESS')) {
      return `${stackName} is still being updated. When it is over, see whether version ${deployed} is live: npm run rollback -- --list`;
    }
    const now = await readLive(lambda, functionName);
    const isThere = now.version === deployed && live.version !== deployed;
    if (isThere) await moveLive(lambda, functionName, live.version, now);
    return `live of ${functionName} is at version ${isThere ? live.version : now.version}${isThere ? ' again' : ''}.`;
  } catch (error) {
    return `live of ${functionName} could not be put back to version ${live.version} (${reason(error)}): npm run rollback does it.`;
  }
}
