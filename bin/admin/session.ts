import { Command, Option } from 'commander';
import type { Stage } from '../../lib/stack-names.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { knowKeyPrefixes } from '../../functions/shared/credentials/credential-text.ts';
import { KEY_PREFIX } from '../../functions/shared/settings/key-prefixes.ts';
import { createClient, documentClient } from '../../functions/shared/store/client.ts';
import { system } from '../../functions/shared/system.ts';
import { localAddressFrom } from '../../local/settings.ts';
import { confirm } from './confirm.ts';
import { localDeployment, namedDeployment, stageDeployment, type Deployment } from './deployment.ts';
import { printListing, type Listing } from './listing.ts';
import type { Shell } from '../cli/shell.ts';
import { isColourful } from '../cli/table.ts';
import { json } from '../cli/text.ts';
import { readStage } from './values.ts';

/** Options that every command has. */
interface CommonOptions {
  readonly json?: true;
  readonly local?: true;
  readonly stage?: Stage;
  /** For commands that ask. */
  readonly yes?: true;
}

/** The outcome of a command: an object for scripts, and the same for people. */
export interface Outcome {
  readonly json: object;
  readonly text: string;
  /** The command ran and found a problem: exit status 1. */
  readonly failed?: boolean;
}

/** The work of a command, with the values of its options. Without an outcome, it has printed its output already. */
type Work<Options> = (
  store: AccountStore,
  options: Options,
  deployment: Deployment,
) => Promise<Outcome | Listing | undefined> | Listing;

/** Adds the common options to a command and runs it: connects, does the work, prints its outcome. */
export function runs<Options>(command: Command, shell: Shell, work: Work<Options>): Command {
  return command
    .option('--json', 'print one JSON object')
    .option('--local', 'use the local database on DYNAMODB_PORT (default 8000)')
    .addOption(
      new Option('--stage <name>', 'use the tables and settings of this deployed stage')
        .argParser(readStage)
        .conflicts('local'),
    )
    .action(async () => {
      const options = command.opts<CommonOptions & Options>();
      const deployment = await deploymentOf(options, shell);
      knowKeyPrefixes(deployment.keyPrefixes, KEY_PREFIX);
      const client = documentClient(createClient(options.local ? localAddressFrom(shell.env) : {}));
      try {
        const { tables, actor, keyTagSecrets, quotaPeriod } = deployment;
        const store: AccountStore = { client, tables, ...system, actor, keyTagSecrets, quotaPeriod };
        const outcome = await work(store, options, deployment);
        if (!outcome) return;
        const look = options.json ? 'json' : { colourful: isColourful(shell.stdout, shell.env) };
        if ('parts' in outcome) await printListing(outcome, look, shell.stdout);
        else shell.stdout.write(options.json ? `${json(outcome.json)}\n` : `${outcome.text}\n`);
        if ('failed' in outcome && outcome.failed) shell.exitCode = 1;
      } finally {
        client.destroy();
      }
    });
}

/** The question before a change; undefined: no question this time. Throws if the change is impossible. */
export type Question<Options> = (
  store: AccountStore,
  options: Options,
  deployment: Deployment,
) => Promise<string | undefined>;

/** As {@link runs}, for irreversible changes: a person at a terminal is asked first, unless `--yes` is given. */
export function runsConfirmed<Options>(
  command: Command,
  shell: Shell,
  question: Question<Options>,
  work: Work<Options>,
): Command {
  return runs<Options & CommonOptions>(command, shell, async (store, options, deployment) => {
    if (!options.yes && shell.stdin.isTTY) {
      const asked = await question(store, options, deployment);
      if (asked !== undefined) await confirm(asked, { input: shell.stdin, output: shell.stderr });
    }
    return work(store, options, deployment);
  }).option('--yes', 'do not ask (without a terminal nobody is asked)');
}

/** Ends a command without any of these options with a usage error. */
export function requireOneOf(command: Command, ...names: string[]): Command {
  return command.hook('preAction', () => {
    if (names.some((name) => command.getOptionValue(name) !== undefined)) return;
    const flags = command.options.filter((option) => names.includes(option.attributeName())).map(({ flags }) => flags);
    command.error(`error: one of the options ${flags.map((flag) => `'${flag}'`).join(' and ')} is required`);
  });
}

/** Adds examples to the help of a command, each without `npm run admin --`. */
export const examples = (command: Command, ...lines: string[]): Command =>
  command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  npm run admin -- ${line}`).join('\n')}`);

async function deploymentOf({ local, stage }: CommonOptions, { env }: Shell): Promise<Deployment> {
  if (stage) return stageDeployment(stage, env);
  return local ? localDeployment(env) : namedDeployment(env);
}

/** What to do next, on the same deployment. */
export function nextCommand(command: string, place: { readonly local?: true; readonly stage?: string }): string {
  const option = place.local ? ' --local' : place.stage === undefined ? '' : ` --stage ${place.stage}`;
  return `Next: npm run admin -- ${command}${option}`;
}
