import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { Command } from 'commander';
import type { Stage } from '../../functions/wiring.ts';
import { paragraphs } from '../admin/command-line.ts';
import { runAdmin } from '../admin/program.ts';
import { AWS_CLIENT } from '../admin/aws.ts';
import { confirm } from '../admin/confirm.ts';
import { describeAwsError } from '../admin/errors.ts';
import type { Shell } from '../admin/shell.ts';
import { readStage, readTime } from '../admin/values.ts';
import * as functions from './functions.ts';
import { momentOf, readPlan, type Plan } from './plan.ts';
import { streamOf } from './table.ts';
import { beginAll, check, commandOf, tablesOf, variablesOf, waitForAll, type Tools } from './steps.ts';

const EPILOGUE = `
It restores both tables into new tables, to the same second of the last 35 days. The functions of gateway and portal are
stopped until the end: callers get 503. The present tables stay unchanged. After any interruption run it again, from any
machine: it reads its progress from AWS, and continues. You must set the three settings that it prints, and deploy.
Changes that an operator made with the CLI after that moment are not in the restored tables: repeat them.

It asks first at a terminal, unless --yes is given. Without a terminal it does not ask.
Exit status: 0 the step is done, and it printed the next one; 1 anything else, such as counters that differ from the
events.

Examples:
  npm run restore -- --stage prod --to 2026-11-21T08:00:00Z
  npm run restore -- --stage prod --to 2026-11-21T08:00:00Z --give-up`;

interface Options {
  readonly stage: Stage;
  readonly to: number;
  readonly giveUp?: true;
  readonly yes?: true;
}

/** The command line of `npm run restore`. Throws errors of one line for people. */
export const restoreProgram = (shell: Shell, given: Partial<Pick<Tools, 'sleep' | 'admin'>> = {}): Command =>
  new Command('restore')
    .description('Restores the tables of a deployed stage to a moment, into new tables')
    .requiredOption('--stage <name>', 'the stage', readStage)
    .requiredOption('--to <time>', 'the moment, such as 2026-11-21T08:00:00Z', readTime)
    .option('--give-up', 'start the functions again with their present tables; restored tables stay')
    .option('--yes', 'do not ask (without a terminal nobody is asked)')
    .addHelpText('after', paragraphs(EPILOGUE))
    .action(async (options: Options) => {
      const plan = await readPlan(options.stage, options.to);
      const clients = { dynamoDb: new DynamoDBClient(AWS_CLIENT), lambda: new LambdaClient(AWS_CLIENT) };
      const tools: Tools = { ...clients, sleep: pause, admin: runAdmin, ...given };
      try {
        await run(plan, options, tools, shell);
      } catch (error) {
        throw describeAwsError(error, ' Then run this again: it continues where it was.');
      } finally {
        tools.dynamoDb.destroy();
        tools.lambda.destroy();
      }
    });

async function run(plan: Plan, { giveUp, yes }: Options, tools: Tools, shell: Shell): Promise<void> {
  const say = (line: string): void => {
    shell.stderr.write(`${line}\n`);
  };
  const show = (line: string): void => {
    if (shell.stderr.isTTY) shell.stderr.write(`${line}\r`);
  };
  const ask = async (question: string): Promise<void> => {
    if (!yes && shell.stdin.isTTY) await confirm(question, { input: shell.stdin, output: shell.stderr });
  };
  const isDeployed = plan.source.gateway === plan.target.gateway && plan.source.usage === plan.target.usage;
  if (giveUp) {
    await ask(`Let the functions of ${plan.place} work again, on ${plan.source.gateway} and ${plan.source.usage}?`);
    for (const writer of plan.writers) await functions.start(tools.lambda, writer);
    shell.stdout.write(
      'The functions work again. Restored tables stay, and cost their storage until you delete them.\n',
    );
  } else if (isDeployed) {
    await finish(plan, tools, shell);
  } else {
    await ask(question(plan));
    await beginAll(plan, tools, say);
    await waitForAll(plan, tools, say, show);
    const agrees = await check(plan, tools, shell);
    shell.stdout.write(agrees ? nextSteps(plan, await streamOf(tools.dynamoDb, plan.target.gateway)) : repairs(plan));
    if (!agrees) shell.exitCode = 1;
  }
}

const question = (plan: Plan): string => {
  const tables = tablesOf(plan).map(({ from, to }) => `  ${from} → ${to}`);
  const callers = `Callers of ${plan.writers.length} functions get 503 until the restored tables are deployed.`;
  return `Restore ${plan.place}, to ${momentOf(plan.atMs)}?\n${tables.join('\n')}\n${callers} The restored tables have nothing that was written after that moment.`;
};

/** The last step: starts the functions that were deployed with the restored tables. */
async function finish(plan: Plan, { lambda }: Tools, shell: Shell): Promise<void> {
  const isBehind = ({ table }: Plan['writers'][number]): boolean => table !== plan.target.gateway;
  for (const writer of plan.writers) if (!isBehind(writer)) await functions.start(lambda, writer);
  if (plan.writers.some(isBehind)) {
    throw new Error(
      `The portal is not deployed with the restored tables yet, and stays stopped. Deploy it, then run this again.`,
    );
  }
  shell.stdout.write(
    `The functions work, on ${plan.target.gateway} and ${plan.target.usage}. Last:\n\n  npm run admin -- ledger verify --all --stage ${plan.stage}\n`,
  );
}

const nextSteps = (plan: Plan, streamArn = ''): string => `
The tables are restored to ${momentOf(plan.atMs)}, and their ledgers agree. Callers get 503 until the last step:

1. Set in lib/stages.ts, for ${plan.stage}, and commit:
     restoredGatewayTable: '${plan.target.gateway}',
     restoredUsageTable: '${plan.target.usage}',
     restoredGatewayStreamArn: '${streamArn}',
2. npm run deploy -- -c stage=${plan.stage} -c deployment=allAtOnce
3. ${commandOf(plan)}
`;

const repairs = (plan: Plan): string => `
The tables are restored to ${momentOf(plan.atMs)}. A request that was settled in that second can be in one table only: bring
the counters of the projects above to their events, then run this again. Callers get 503 meanwhile.

  export ${Object.entries(variablesOf(plan))
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')}
  npm run admin -- ledger repair --period ${plan.periodId} --project …
  ${commandOf(plan)}
`;
