import { Command, Option } from 'commander';
import { STAGES, type Stage } from '../../functions/contract.ts';
import type { ControlPlane } from '../../functions/data/control-plane.ts';
import { createClient, documentClient } from '../../functions/data/store.ts';
import { system } from '../../functions/system.ts';
import { localAddressFrom, type Environment } from '../../local/settings.ts';
import { localDeployment, namedDeployment, stageDeployment, type Deployment } from './deployment.ts';
import { readStage } from './values.ts';

/** Options that every command has. */
interface CommonOptions {
  readonly json?: true;
  readonly local?: true;
  readonly stage?: Stage;
}

/** What a command has done: an object for scripts, and the same for people. */
export interface Outcome {
  readonly json: object;
  readonly text: string;
  /** The command ran, and what it found is bad news: exit status 1. */
  readonly failed?: boolean;
}

/** Adds the common options to a command and runs it: connects, does the work, prints its outcome. */
export function runs(
  command: Command,
  environment: Environment,
  work: (plane: ControlPlane, deployment: Deployment) => Promise<Outcome>,
): Command {
  return command
    .option('--json', 'print one JSON object')
    .option('--local', 'use the local database on DYNAMODB_PORT (default 8000)')
    .addOption(
      new Option(`--stage <${STAGES.join('|')}>`, 'use the tables and settings of this deployed stage')
        .argParser(readStage)
        .conflicts('local'),
    )
    .action(async () => {
      const options = command.opts<CommonOptions>();
      const deployment = await deploymentOf(options, environment);
      const client = documentClient(createClient(options.local ? localAddressFrom(environment) : {}));
      try {
        const plane: ControlPlane = { client, tables: deployment.tables, ...system };
        const outcome = await work(plane, deployment);
        process.stdout.write(options.json ? `${JSON.stringify(outcome.json)}\n` : `${outcome.text}\n`);
        if (outcome.failed) process.exitCode = 1;
      } finally {
        client.destroy();
      }
    });
}

async function deploymentOf({ local, stage }: CommonOptions, environment: Environment): Promise<Deployment> {
  if (stage) return stageDeployment(stage, environment);
  return local ? localDeployment(environment) : namedDeployment(environment);
}
