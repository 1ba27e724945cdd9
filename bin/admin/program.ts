import { Command } from 'commander';
import { accountCommand } from './accounts.ts';
import { auditCommand } from './audit.ts';
import { runProgram, paragraphs } from '../cli/command-line.ts';
import { endpointCommand } from './endpoints.ts';
import { keyCommand } from './keys.ts';
import { ledgerCommand } from './ledger.ts';
import { mailCommand } from './mails.ts';
import { memberCommand } from './members.ts';
import { noticeCommand } from './notices.ts';
import { personCommand } from './persons.ts';
import { projectCommand } from './projects.ts';
import { quickStartCommand } from './quick-start.ts';
import type { Shell } from '../cli/shell.ts';
import { tokenCommand } from './tokens.ts';
import { usageCommand } from './usage.ts';

const EPILOGUE = `
Without --local it uses region and credentials of the AWS environment. --stage takes tables and settings from the
deployed stack. Without --stage and --local, GATEWAY_TABLE and USAGE_TABLE name the tables, and QUOTA_PERIOD (month or
day) must be that of the gateway. Each change is in the audit, under the AWS identity of the caller, or as local. A
command that cannot be undone asks first at a terminal, unless --yes is given. Without a terminal it does not ask;
person delete then requires --yes. NO_COLOR=1 switches highlighting off.
Exit status: 0 done; 1 anything else, such as wrong usage, a refusal, no confirmation, a failure, or a ledger that is
not consistent.

Examples:
  npm run admin -- quick-start --stage dev
  npm run admin -- account create --name "Example" --email dev@example.com --owner dev@example.com --local
  npm run admin -- project create --account acc_… --name Demo --quota 10000 --local
  npm run admin -- key create --project … --mode test --expires 90d --local
  npm run admin -- project suspend --project … --stage prod
  npm run admin -- audit list --account acc_… --since 2026-11-21 --stage prod
  npm run admin -- usage list --project … --since 2026-11-21 --local
  npm run admin -- usage summary --project … --by key --local
  npm run -s admin -- usage export --project … --format csv --stage prod > usage.csv
  npm run admin -- ledger verify --project … --local --json
  npm run admin -- ledger verify --all --period 2026-10 --stage prod`;

/** Runs a command line of the admin CLI; the exit status is left in the shell. */
export const runAdmin = (args: readonly string[], shell: Shell): Promise<void> =>
  runProgram(adminProgram(shell), args, shell);

/** The admin CLI. It throws the errors of its commands. */
export const adminProgram = (shell: Shell): Command =>
  new Command('admin')
    .description("The sandbox developer gateway's admin CLI")
    .addCommand(quickStartCommand(shell))
    .addCommand(accountCommand(shell))
    .addCommand(projectCommand(shell))
    .addCommand(keyCommand(shell))
    .addCommand(memberCommand(shell))
    .addCommand(endpointCommand(shell))
    .addCommand(tokenCommand(shell))
    .addCommand(noticeCommand(shell))
    .addCommand(mailCommand(shell))
    .addCommand(personCommand(shell))
    .addCommand(usageCommand(shell))
    .addCommand(ledgerCommand(shell))
    .addCommand(auditCommand(shell))
    .addHelpText('after', paragraphs(EPILOGUE));
