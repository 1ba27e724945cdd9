import { Command, CommanderError } from 'commander';
import { accountCommand } from './accounts.ts';
import { auditCommand } from './audit.ts';
import { errorText, usageErrorText } from './error-text.ts';
import { errorLine } from './errors.ts';
import { keyCommand } from './keys.ts';
import { ledgerCommand } from './ledger.ts';
import { memberCommand } from './members.ts';
import { projectCommand } from './projects.ts';
import type { Shell } from './shell.ts';
import { usageCommand } from './usage.ts';

const EPILOGUE = `
Without --local the AWS environment is used (region, credentials). --stage takes tables and settings from the deployed
stack. Without either the tables are those named by GATEWAY_TABLE and USAGE_TABLE, and QUOTA_PERIOD (month or day) must
be the gateway's. Each change is audited, under the AWS identity that makes it or as local. What cannot be undone asks first
at a terminal, unless --yes is given; without a terminal it goes on. NO_COLOR=1 switches highlighting off. Exit status:
0 done, 1 anything else: wrong usage, refused, not confirmed, failed, or a ledger that is not consistent.

Examples:
  npm run admin -- account create --name "Example" --email dev@example.com --local
  npm run admin -- project create --account acc_… --name Demo --quota 10000 --local
  npm run admin -- key create --project … --mode test --expires 90d --local
  npm run admin -- project suspend --project … --stage prod
  npm run admin -- audit list --account acc_… --since 2026-11-21 --stage prod
  npm run admin -- usage list --project … --since 2026-11-21 --local
  npm run admin -- usage summary --project … --by key --local
  npm run admin -- usage export --project … --format csv --output usage.csv --stage prod
  npm run admin -- ledger verify --project … --local --json
  npm run admin -- ledger verify --all --period 2026-10 --stage prod`;

/** Runs a command line of the operator's CLI; the exit status is left in the shell. */
export async function runAdmin(args: readonly string[], shell: Shell): Promise<void> {
  try {
    await adminProgram(shell).parseAsync(args, { from: 'user' });
  } catch (error) {
    const isToldAlready = error instanceof CommanderError;
    shell.exitCode = isToldAlready ? error.exitCode : 1;
    if (!isToldAlready) shell.stderr.write(errorText(errorLine(error)));
  }
}

/** The operator's CLI. Throws what a command throws; prints usage errors and help itself. */
export function adminProgram(shell: Shell): Command {
  const program = new Command('admin')
    .description("The sandbox developer gateway's operator CLI")
    .addCommand(accountCommand(shell))
    .addCommand(projectCommand(shell))
    .addCommand(keyCommand(shell))
    .addCommand(memberCommand(shell))
    .addCommand(usageCommand(shell))
    .addCommand(ledgerCommand(shell))
    .addCommand(auditCommand(shell))
    .addHelpText('after', EPILOGUE);
  configure(program, shell);
  return program;
}

/** Subcommands made on their own do not inherit this from the program. */
function configure(command: Command, shell: Shell): void {
  command.exitOverride();
  command.configureOutput({
    writeOut: (text) => shell.stdout.write(text),
    writeErr: (text) => shell.stderr.write(text),
    outputError: (text, write) => write(usageErrorText(text)),
  });
  requireTogether(command);
  for (const subcommand of command.commands) configure(subcommand, shell);
}

/** Marks required options in the help, and names all that are missing at once: commander names the first. */
function requireTogether(command: Command): void {
  const required = command.options.filter(({ mandatory }) => mandatory);
  for (const option of required) {
    option.makeOptionMandatory(false);
    option.description += ' (required)';
  }
  command.hook('preAction', () => {
    const missing = required.filter((option) => command.getOptionValue(option.attributeName()) === undefined);
    if (missing.length === 0) return;
    const noun = missing.length === 1 ? 'option' : 'options';
    command.error(`error: required ${noun} ${missing.map(({ flags }) => `'${flags}'`).join(', ')} not specified`);
  });
}
