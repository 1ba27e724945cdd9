import { setTimeout as pause } from 'node:timers/promises';
import { CodeDeployClient } from '@aws-sdk/client-codedeploy';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { Command, Option } from 'commander';
import { STAGES, type Stage } from '../../functions/wiring.ts';
import { AWS_CLIENT } from '../admin/aws.ts';
import { confirm } from '../admin/confirm.ts';
import { describeAwsError } from '../admin/errors.ts';
import { paragraphs } from '../admin/command-line.ts';
import type { Shell } from '../admin/shell.ts';
import { isColourful, table } from '../admin/table.ts';
import { readStage } from '../admin/values.ts';
import { findRunning, stopDeployment, type RunningDeployment } from './deployments.ts';
import { findTarget, FUNCTIONS, type RolledBack, type Target } from './target.ts';
import { listVersions, moveLive, readLive, type LiveVersion } from './versions.ts';

const POLL_MS = 5_000;
/** CodeDeploy takes seconds. After this many polls, a person must look. */
const MAX_POLLS = 60;

const EPILOGUE = `
If a deployment is running, this stops it. CodeDeploy then undoes its move of the alias, and CloudFormation the rest of
that deployment. If no deployment is running, the alias live moves to the version before the live one. Every version
that was deployed successfully is kept, with its settings. The next npm run deploy of a change first moves live back to
the version of the last deployment, and then on; cdk deploy alone fails. Tables are never changed.

It asks first at a terminal, unless --yes is given. Without a terminal it does not ask. If it is run again while
CodeDeploy works, it waits for the end. If it is run again later, it goes back by one more version.
Exit status: 0 rolled back, 1 anything else. Region and credentials are those of the AWS environment.

Examples:
  npm run rollback -- --stage prod
  npm run rollback -- --stage prod --function portal
  npm run rollback -- --stage prod --to-version 41 --yes
  npm run rollback -- --stage prod --list`;

interface Options {
  readonly stage: Stage;
  readonly function: RolledBack;
  readonly toVersion?: string;
  readonly list?: true;
  readonly yes?: true;
}

interface Clients {
  readonly lambda: LambdaClient;
  readonly codeDeploy: CodeDeployClient;
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** The command line of `npm run rollback`. Throws errors of one line for people. */
export const rollbackProgram = (shell: Shell, sleep: Clients['sleep'] = pause): Command =>
  new Command('rollback')
    .description('Rolls a function of a deployed stage back to the previous version')
    .requiredOption(`--stage <${STAGES.join('|')}>`, 'the stage', readStage)
    .addOption(new Option('--function <name>', 'which function').choices(FUNCTIONS).default('metered'))
    .option('--to-version <number>', 'this version instead of the previous one')
    .addOption(
      new Option(
        '--list',
        'change nothing: list the kept versions, newest first, with their shares of the requests',
      ).conflicts('toVersion'),
    )
    .option('--yes', 'do not ask (without a terminal nobody is asked)')
    .addHelpText('after', paragraphs(EPILOGUE))
    .action(async (options: Options) => {
      const target = await findTarget(options.stage, options.function);
      const clients = { lambda: new LambdaClient(AWS_CLIENT), codeDeploy: new CodeDeployClient(AWS_CLIENT), sleep };
      try {
        const done = options.list ? listed(target, clients, shell) : rollBack(target, options, clients, shell);
        shell.stdout.write(`${await done}\n`);
      } catch (error) {
        throw describeAwsError(error);
      } finally {
        clients.lambda.destroy();
        clients.codeDeploy.destroy();
      }
    });

async function rollBack(target: Target, options: Options, clients: Clients, shell: Shell): Promise<string> {
  const { codeDeploy, lambda } = clients;
  const [running, live] = await Promise.all([
    findRunning(codeDeploy, target.group),
    readLive(lambda, target.functionName),
  ]);
  const ask = async (question: string): Promise<void> => {
    if (!options.yes && shell.stdin.isTTY) await confirm(question, { input: shell.stdin, output: shell.stderr });
  };
  if (running) {
    if (!running.isRollback) {
      await ask(`Stop the deployment ${running.deploymentId} of ${target.words}? ${whereTo(live)}`);
      await stopDeployment(codeDeploy, running.deploymentId);
    }
    return waitForRollback(target, running, clients, shell);
  }
  const { from, to, words } = await choose(target, live, options.toVersion, lambda);
  await ask(`Roll back ${target.words}? ${words}`);
  await moveLive(lambda, target.functionName, to, live);
  return `live of the ${options.function} function is at version ${to}; it was at ${from}. The next npm run deploy of a change moves it on.`;
}

/** The versions of a function, and their shares of the requests. */
async function listed({ functionName, group }: Target, { codeDeploy, lambda }: Clients, shell: Shell): Promise<string> {
  const [running, live, versions] = await Promise.all([
    findRunning(codeDeploy, group),
    readLive(lambda, functionName),
    listVersions(lambda, functionName),
  ]);
  const { canary } = live;
  const shareOf = (version: string): string => {
    if (version === canary?.version) return `${canary.percent} %`;
    return version === live.version ? `${100 - (canary?.percent ?? 0)} %` : '';
  };
  const without = versions.some(({ isClientGone }) => isClientGone);
  const rows = versions
    .toReversed()
    .map(({ version, deployedAt, isClientGone }) => [
      ...[version, deployedAt, shareOf(version)],
      ...(without ? [isClientGone ? 'its client is gone' : ''] : []),
    ]);
  const headings = ['VERSION', 'DEPLOYED', 'REQUESTS', ...(without ? ['SIGN-IN'] : [])];
  const drawn = table(headings, rows, isColourful(shell.stdout, shell.env));
  return running ? `${drawn}\n\nThe deployment ${running.deploymentId} is running.` : drawn;
}

const whereTo = ({ version, canary }: LiveVersion): string =>
  canary
    ? `All requests go back from version ${canary.version}, which has ${canary.percent} % of them, to version ${version}.`
    : `live is at version ${version}; CodeDeploy takes back what it has moved.`;

/** The versions to move from and to. A canary without a running deployment is moved back to the version beside it. */
async function choose(target: Target, live: LiveVersion, wanted: string | undefined, lambda: LambdaClient) {
  const versions = await listVersions(lambda, target.functionName);
  const from = live.canary?.version ?? live.version;
  const before = live.canary
    ? live.version
    : versions.findLast(({ version }) => Number(version) < Number(from))?.version;
  const to = versions.find(({ version }) => version === (wanted ?? before));
  if (!to) {
    const kept = versions.map(({ version }) => version).join(', ');
    throw new Error(`There is no version ${wanted ?? `before ${from}`}; kept are ${kept}. Deploy an earlier commit.`);
  }
  if (to.version === live.version && !live.canary) throw new Error(`live is at version ${to.version} already.`);
  if (to.isClientGone) {
    throw new Error(
      `Nobody could sign in by version ${to.version}: its client of the user pool is gone (signInClient, or the provider, ` +
        'was changed since). Deploy an earlier commit with those settings as they are now.',
    );
  }
  const deployedAt = versions.find(({ version }) => version === from)?.deployedAt ?? 'at an unknown time';
  const words = `live goes from version ${from} (of ${deployedAt}) to version ${to.version} (of ${to.deployedAt}).`;
  return { from, to: to.version, words };
}

async function waitForRollback(
  { functionName, group }: Target,
  { deploymentId }: RunningDeployment,
  { codeDeploy, lambda, sleep }: Clients,
  shell: Shell,
): Promise<string> {
  shell.stderr.write(`Waiting for CodeDeploy to take back ${deploymentId} …\n`);
  for (let polled = 0; polled < MAX_POLLS; polled++) {
    await sleep(POLL_MS);
    const [running, live] = await Promise.all([findRunning(codeDeploy, group), readLive(lambda, functionName)]);
    if (!running && !live.canary) {
      return `live is at version ${live.version}. CloudFormation takes back the rest of that deployment.`;
    }
  }
  throw new Error(
    'CodeDeploy is not done after 5 minutes. Run this again to wait longer, or look at it in the console.',
  );
}
