import { Command } from 'commander';
import { ENVIRONMENT } from '../../functions/contract.ts';
import type { ControlPlane } from '../../functions/data/control-plane.ts';
import { createClient, documentClient } from '../../functions/data/store.ts';
import type { TableNames } from '../../functions/data/table-items.ts';
import { system } from '../../functions/system.ts';
import { LOCAL_TABLES, localAddressFrom, type Environment } from '../../local/settings.ts';

/** Options that every command has. */
interface CommonOptions {
  readonly json?: true;
  readonly local?: true;
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
  work: (plane: ControlPlane) => Promise<Outcome>,
): Command {
  return command
    .option('--json', 'print one JSON object')
    .option('--local', 'use the local database on DYNAMODB_PORT (default 8000)')
    .action(async () => {
      const options = command.opts<CommonOptions>();
      const client = documentClient(createClient(options.local ? localAddressFrom(environment) : {}));
      const tables = options.local ? LOCAL_TABLES : remoteTables(environment);
      try {
        const plane: ControlPlane = { client, tables, ...system };
        const outcome = await work(plane);
        process.stdout.write(options.json ? `${JSON.stringify(outcome.json)}\n` : `${outcome.text}\n`);
        if (outcome.failed) process.exitCode = 1;
      } finally {
        client.destroy();
      }
    });
}

function remoteTables(environment: Environment): TableNames {
  const read = (name: string): string => {
    const value = environment[name];
    if (!value) throw new Error(`${name} is not set. Give the table's name, or --local for the local database.`);
    return value;
  };
  return { gateway: read(ENVIRONMENT.gatewayTable), usage: read(ENVIRONMENT.usageTable) };
}
