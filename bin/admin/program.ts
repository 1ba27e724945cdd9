import { Command } from 'commander';
import { keyCommand } from './keys.ts';
import { accountCommand, projectCommand } from './projects.ts';
import type { Surroundings } from './session.ts';
import { ledgerCommand, usageCommand } from './usage.ts';

const EPILOGUE = `
Without --local the AWS environment is used (region, credentials), and the tables named by GATEWAY_TABLE and
USAGE_TABLE. Exit status: 0 done, 1 refused, failed, or a ledger that is not consistent.

Examples:
  npm run admin -- account create --name "Example" --email dev@example.com --local
  npm run admin -- project create --account acc_… --name Demo --quota 10000 --local
  npm run admin -- key create --project … --mode test --expires 90d --local
  npm run admin -- usage list --project … --since 2026-11-21 --local
  npm run admin -- ledger verify --project … --local --json`;

/** The operator's CLI. Throws what a command throws; prints usage errors and help itself. */
export function adminProgram(surroundings: Surroundings): Command {
  const program = new Command('admin')
    .description("The sandbox developer gateway's operator CLI")
    .addCommand(accountCommand(surroundings))
    .addCommand(projectCommand(surroundings))
    .addCommand(keyCommand(surroundings))
    .addCommand(usageCommand(surroundings))
    .addCommand(ledgerCommand(surroundings))
    .addHelpText('after', EPILOGUE);
  throwInsteadOfExit(program);
  return program;
}

/** Subcommands made on their own do not inherit this from the program. */
function throwInsteadOfExit(command: Command): void {
  command.exitOverride();
  command.commands.forEach(throwInsteadOfExit);
}
