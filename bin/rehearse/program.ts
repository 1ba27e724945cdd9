import { setTimeout as pause } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { system } from '../../functions/system.ts';
import { isLoopbackHost } from '../../local/settings.ts';
import { confirm } from '../admin/confirm.ts';
import { describeAwsError } from '../admin/errors.ts';
import { paragraphs } from '../admin/command-line.ts';
import type { Shell } from '../admin/shell.ts';
import { isColourful } from '../admin/table.ts';
import { runIn } from './run.ts';
import { makeSteps } from './sequence.ts';
import { places } from './stage.ts';
import { stepsOf, type Tools } from './steps.ts';
import { outcomeTable } from './table.ts';

const EPILOGUE = `
It deploys stage dev with a portal, makes an account, a project and a key, pings, runs the smoke test, deploys a change,
rolls it back, deploys again, restores the tables, and deletes the stage, in an account that nobody else uses. After a
failure it continues with the steps that do not need the failed one. If there is a stage dev that no rehearsal made, it
ends and changes nothing. After an interruption run it again: it first deletes what is left.

Without --endpoint it uses AWS, in the account and region of the environment, and asks first. Resources with data
(tables, secret, user pool, buckets) stay. Their names are printed at the end.
Exit status: 0 no step failed, 1 anything else.

Examples:
  npm run rehearse
  npm run rehearse -- --keep
  npm run rehearse -- --endpoint http://127.0.0.1:4566`;

interface Options {
  readonly endpoint?: string;
  readonly portalUrl?: string;
  readonly keep?: true;
  readonly yes?: true;
}

/** The command line of `npm run rehearse`. Throws errors of one line for people. */
export const rehearseProgram = (shell: Shell, given: Partial<Tools> = {}): Command =>
  new Command('rehearse')
    .description('Deploys a stage, uses it, changes it, rolls it back, restores it, and deletes it again')
    .option('--endpoint <url>', 'an endpoint to call instead of AWS', readOrigin)
    .option('--portal-url <url>', 'where the portal answers, if not at the address in its outputs', readOrigin)
    .option('--keep', 'do not delete the stage at the end')
    .option('--yes', 'do not ask')
    .addHelpText('after', paragraphs(EPILOGUE))
    .action(async ({ endpoint, portalUrl, keep, yes }: Options) => {
      const env = environment(shell.env, endpoint);
      // The clients of this process use it, too.
      Object.assign(shell.env, env);
      const tools: Tools = { run: runIn(env), places, now: () => system.clock.now(), sleep: pause, ...given };
      const where = await tools.places.where().catch((error: unknown) => {
        throw describeAwsError(error);
      });
      const stacks = await tools.places.stacks();
      const foreign = stacks.find(({ isOurs }) => !isOurs);
      if (foreign) {
        throw new Error(
          `There is a stack ${foreign.name} in ${where} that no rehearsal made: use another account or region.`,
        );
      }
      await ask(where, endpoint, yes === true, shell);
      const rehearsal = { endpoint, portalUrl, keep: keep === true, hasLeftovers: stacks.length > 0 };
      const { steps, close } = stepsOf(rehearsal, tools);
      const isTerminal = isColourful(shell.stderr, shell.env);
      shell.stdout.write(`Rehearsing in ${where}${endpoint === undefined ? '' : `, at ${endpoint}`}\n\n`);
      const tell = outcomeTable(
        steps.map(({ name }) => name),
        shell,
      );
      const startedAtMs = tools.now();
      const begin = (name: string): void => {
        if (isTerminal) shell.stderr.write(`…        ${name}\r`);
      };
      try {
        const outcomes = [...(await makeSteps(steps, tools.now, begin, tell)).values()];
        const count = (result: string): number => outcomes.filter((outcome) => outcome.result === result).length;
        const failed = count('failed');
        const seconds = ((tools.now() - startedAtMs) / 1_000).toFixed(0);
        shell.stdout.write(
          `\n${failed === 0 ? 'PASSED' : 'FAILED'}: ${count('ok')} ok, ${failed} failed, ${count('skipped')} skipped, in ${seconds} s.\n`,
        );
        if (failed > 0) shell.exitCode = 1;
      } finally {
        close();
      }
    });

/** An endpoint on this machine accepts any credentials and region, so defaults are set. */
function environment(env: Shell['env'], endpoint: string | undefined): NodeJS.ProcessEnv {
  if (endpoint === undefined) return { ...env };
  const { AWS_ACCESS_KEY_ID, AWS_PROFILE, AWS_REGION, AWS_DEFAULT_REGION } = env;
  const region = AWS_REGION || AWS_DEFAULT_REGION || 'us-east-1';
  const isBare = isLocal(endpoint) && !AWS_ACCESS_KEY_ID && !AWS_PROFILE;
  return {
    ...env,
    ...{ AWS_ENDPOINT_URL: endpoint, AWS_REGION: region, AWS_DEFAULT_REGION: region },
    ...(isBare && { AWS_ACCESS_KEY_ID: 'rehearsal', AWS_SECRET_ACCESS_KEY: 'rehearsal' }),
  };
}

/** A person must confirm an account; an endpoint on this machine needs no confirmation. */
async function ask(where: string, endpoint: string | undefined, isAnswered: boolean, shell: Shell): Promise<void> {
  if (isAnswered || (endpoint !== undefined && isLocal(endpoint))) return;
  if (!shell.stdin.isTTY) throw new Error(`Without a terminal it takes --yes to make and delete a stage in ${where}.`);
  await confirm(`Make a stage dev with a portal in ${where}, and delete it at the end?`, {
    ...{ input: shell.stdin, output: shell.stderr },
  });
}

const isLocal = (url: string): boolean => isLoopbackHost(new URL(url).hostname);

function readOrigin(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.pathname === '/' && !/[?#]/.test(text)) {
    return url.origin;
  }
  throw new InvalidArgumentError('Give a URL such as http://127.0.0.1:4566, without a path.');
}
