import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { Command } from 'commander';
import { AWS_CLIENT } from '../admin/aws.ts';
import { paragraphs } from '../cli/command-line.ts';
import { confirm } from '../admin/confirm.ts';
import { describeAwsError } from '../admin/errors.ts';
import { runAdmin } from '../admin/program.ts';
import type { Shell } from '../cli/shell.ts';
import { readStage, readTime } from '../admin/values.ts';
import { readPlan, start, stop, type Plan } from './plan.ts';
import { begin, complete, describe, type RestoredTable } from './tables.ts';

const POLL_MS = 20_000;
const EPILOGUE = `
It stops the functions of the stage, so that callers get 503, and restores both tables into new tables, to the same
second of the last 35 days. The present tables stay as they are. After any interruption run it again, from any machine:
it reads its progress from AWS. Deploy with the two settings that it prints, then run it once more, which lets the
functions work. docs/runbook.md, "Restore to a moment", says each step, also by hand.

It asks first at a terminal, unless --yes is given. Exit status: 0 the step is done, and it printed the next one; 1
anything else, such as counters that differ from the events.

Examples:
  npm run restore -- --stage prod --to 2026-11-21T08:00:00Z
  npm run restore -- --stage prod --to 2026-11-21T08:00:00Z --give-up`;

interface Options {
  readonly stage: string;
  readonly to: number;
  readonly giveUp?: true;
  readonly yes?: true;
}
interface Tools {
  readonly dynamoDb: DynamoDBClient;
  readonly lambda: LambdaClient;
  readonly sleep: (ms: number) => Promise<unknown>;
  readonly admin: typeof runAdmin;
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
      try {
        await run(plan, options, { ...clients, sleep: pause, admin: runAdmin, ...given }, shell);
      } catch (error) {
        throw describeAwsError(error, ' Then run this again: it continues where it was.');
      } finally {
        for (const client of Object.values(clients)) client.destroy();
      }
    });

async function run(plan: Plan, { giveUp, yes }: Options, tools: Tools, shell: Shell): Promise<void> {
  const { source, target, moment, place, workers, stage } = plan;
  const ask = async (question: string): Promise<void> => {
    if (!yes && shell.stdin.isTTY) await confirm(question, { input: shell.stdin, output: shell.stderr });
  };
  if (giveUp) {
    if (new Set(workers.map(({ table }) => table)).size > 1) {
      throw new Error('The functions have different tables, so none is started. Deploy all stacks with the same ones.');
    }
    await ask(`Let the functions of ${place} work again, on ${source.gateway} and ${source.usage}?`);
    await start(tools.lambda, workers);
    shell.stdout.write('The functions work again. Restored tables stay, and cost storage until you delete them.\n');
    return;
  }
  if (source.gateway === target.gateway && source.usage === target.usage) {
    const behind = workers.filter(({ table }) => table !== target.gateway).map(({ functionName }) => functionName);
    const ready = workers.filter(({ table }) => table === target.gateway);
    await start(tools.lambda, ready);
    if (behind.length > 0) {
      throw new Error(
        `Not deployed with the restored tables, so still stopped: ${behind.join(', ')}. Deploy all stacks.`,
      );
    }
    shell.stdout.write(`The functions work, on ${target.gateway} and ${target.usage}. Last:\n\n  ${verify(stage)}\n`);
    return;
  }
  const tables: readonly RestoredTable[] = [
    { from: source.gateway, to: target.gateway, moment, hasStream: true },
    { from: source.usage, to: target.usage, moment, hasStream: false },
  ];
  await ask(
    `Restore ${place}, to ${moment}?\n${tables.map(({ from, to }) => `  ${from} → ${to}\n`).join('')}` +
      `${workers.length} functions stop until the restored tables are deployed: callers get 503. What was written after that moment is not in them.`,
  );
  const streamArn = await restoreAll(tables, workers, tools, shell);
  const env = { GATEWAY_TABLE: target.gateway, USAGE_TABLE: target.usage, QUOTA_PERIOD: plan.quotaPeriod };
  const { stdin, stdout, stderr } = shell;
  const inner: Shell = { env: { ...shell.env, ...env }, stdin, stdout, stderr };
  await tools.admin(['ledger', 'remove-rollups', '--all'], inner);
  if (inner.exitCode) throw new Error('The sums of usage could not be removed. Run this again.');
  await tools.admin(['ledger', 'verify', '--all', '--period', plan.periodId], inner);
  if (inner.exitCode) shell.exitCode = 1;
  const variables = Object.entries(env)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
  stdout.write(inner.exitCode ? repairs(plan, variables) : nextSteps(plan, streamArn));
}

/** Restores the tables, with the functions stopped, and returns the stream of the first. What is done stays done. */
async function restoreAll(
  tables: readonly RestoredTable[],
  workers: Plan['workers'],
  { dynamoDb, lambda, sleep }: Tools,
  { stderr }: Shell,
): Promise<string> {
  for (const table of tables) if (!(await describe(dynamoDb, table))) await begin(dynamoDb, table);
  stderr.write('Stopping the functions: callers get 503 from now on.\n');
  await stop(lambda, workers);
  for (const table of tables) {
    stderr.write(`${table.to}: restoring …\n`);
    for (;;) {
      const present = await describe(dynamoDb, table);
      if (!present) throw new Error(`The restore of ${table.to} failed: the table is gone. Run this again.`);
      if (present.TableStatus === 'ACTIVE' && (await complete(dynamoDb, table))) break;
      await sleep(POLL_MS);
    }
    stderr.write(`${table.to}: restored\n`);
  }
  const [gateway] = tables;
  return (gateway && (await describe(dynamoDb, gateway))?.LatestStreamArn) ?? '';
}

const verify = (stage: string): string => `npm run admin -- ledger verify --all --stage ${stage}`;
const again = ({ stage, moment }: Plan): string => `npm run restore -- --stage ${stage} --to ${moment}`;

const nextSteps = (plan: Plan, streamArn: string): string => `
The tables are restored to ${plan.moment}, and their ledgers agree. Callers get 503 until the last step:

1. Set in lib/stages.ts, for ${plan.stage}, and commit:
     restoredGatewayStreamArn: '${streamArn}',
     restoredUsageTable: '${plan.target.usage}',
2. npx cdk deploy --all -c stage=${plan.stage} -c deployment=allAtOnce
3. ${again(plan)}
`;

const repairs = (plan: Plan, variables: string): string => `
The tables are restored to ${plan.moment}. A request that was settled in that second can be in one table only: bring
the counters of the projects above to their events, then run this again. Callers get 503 meanwhile.

  ${variables} npm run admin -- ledger repair --period ${plan.periodId} --project …
  ${again(plan)}
`;
