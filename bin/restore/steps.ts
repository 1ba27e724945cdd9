import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { runAdmin } from '../admin/program.ts';
import type { Shell } from '../admin/shell.ts';
import * as functions from './functions.ts';
import { momentOf, type Plan } from './plan.ts';
import { begin, complete, requireRestorable, statusOf, type RestoredTable } from './table.ts';

const POLL_MS = 20_000;
const PER_MINUTE = 60_000 / POLL_MS;

/** The tools of a restore. */
export interface Tools {
  readonly dynamoDb: DynamoDBClient;
  readonly lambda: LambdaClient;
  readonly sleep: (ms: number) => Promise<unknown>;
  readonly admin: typeof runAdmin;
}

export const tablesOf = ({ source, target, atMs }: Plan): RestoredTable[] => [
  { from: source.gateway, to: target.gateway, atMs, hasStream: true },
  { from: source.usage, to: target.usage, atMs, hasStream: false },
];

/**
 * Begins the steps that have not begun. Throws before anything is stopped when a table cannot be restored to that
 * moment.
 */
export async function beginAll(plan: Plan, { dynamoDb, lambda }: Tools, say: (line: string) => void): Promise<void> {
  const missing: RestoredTable[] = [];
  for (const table of tablesOf(plan)) if ((await statusOf(dynamoDb, table)) === undefined) missing.push(table);
  for (const table of missing) await requireRestorable(dynamoDb, table);
  say('Stopping the functions: callers get 503 from now on.');
  await functions.stop(lambda, plan.writers);
  for (const table of missing) await begin(dynamoDb, table);
}

/** Waits until both tables are active, and sets what a restore omits. */
export async function waitForAll(
  plan: Plan,
  { dynamoDb, sleep }: Tools,
  say: (line: string) => void,
  show: (line: string) => void,
): Promise<void> {
  let told = '';
  for (let polls = 0; ; polls++) {
    const states: string[] = [];
    for (const table of tablesOf(plan)) {
      const status = await statusOf(dynamoDb, table);
      if (status === undefined)
        throw new Error(`The restore of ${table.to} failed: the table is gone. Run this again.`);
      states.push(status === 'ACTIVE' && !(await complete(dynamoDb, table)) ? 'BEING COMPLETED' : status);
    }
    const state = tablesOf(plan)
      .map(({ to }, index) => `${to}: ${states[index]}`)
      .join(', ');
    if (state !== told) say(state);
    told = state;
    if (states.every((status) => status === 'ACTIVE')) return;
    show(`waiting for ${Math.floor(polls / PER_MINUTE)} min`);
    await sleep(POLL_MS);
  }
}

/** Removes the stored sums of usage, and compares the restored counters with the restored events. True: all agree. */
export async function check(plan: Plan, { admin }: Tools, { env, stdin, stdout, stderr }: Shell): Promise<boolean> {
  const shell: Shell = { env: { ...env, ...variablesOf(plan) }, stdin, stdout, stderr };
  await admin(['ledger', 'remove-rollups', '--all'], shell);
  if (shell.exitCode) throw new Error('The sums of usage could not be removed. Run this again.');
  await admin(['ledger', 'verify', '--all', '--period', plan.periodId], shell);
  return !shell.exitCode;
}

/** The variables by which the admin CLI uses the restored tables. */
export const variablesOf = ({ target, quotaPeriod }: Plan) => ({
  GATEWAY_TABLE: target.gateway,
  USAGE_TABLE: target.usage,
  QUOTA_PERIOD: quotaPeriod,
});

/** The command that continues this restore. */
export const commandOf = ({ stage, atMs }: Plan): string =>
  `npm run restore -- --stage ${stage} --to ${momentOf(atMs)}`;
