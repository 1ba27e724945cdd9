import { Command } from 'commander';
import { DEFAULT_QUOTA_UNITS } from '../../functions/wiring.ts';
import { listAccounts, readAccount } from '../../functions/accounts/accounts.ts';
import { createProject, readProjects } from '../../functions/accounts/projects.ts';
import { listing, mapped } from './listing.ts';
import { publicView, resume, show, suspend, update } from './project-changes.ts';
import { examples, runs } from './session.ts';
import { facts } from './text.ts';
import { readId, readName, readQuota } from './values.ts';
import type { Shell } from './shell.ts';

const QUOTA_DEFAULT = `default: ${DEFAULT_QUOTA_UNITS}, with --stage the stage's`;

/** `admin project …` */
export const projectCommand = (shell: Shell): Command =>
  new Command('project')
    .description('projects, which quotas count for')
    .addCommand(create(shell))
    .addCommand(list(shell))
    .addCommand(show(shell))
    .addCommand(update(shell))
    .addCommand(suspend(shell))
    .addCommand(resume(shell));

function create(shell: Shell): Command {
  const command = new Command('create')
    .description('create a project')
    .requiredOption('--account <id>', 'the account that owns it', readId)
    .requiredOption('--name <name>', 'name of the project', readName)
    .option('--quota <units|none>', `request units per period, 0 to 10⁹ (${QUOTA_DEFAULT})`, readQuota);
  examples(command, 'project create --account acc_… --name Demo --quota 10000 --local');
  interface Options {
    account: string;
    name: string;
    quota?: number | 'none';
  }
  return runs(command, shell, async (plane, { defaultQuota }) => {
    const { account: accountId, name, quota = defaultQuota } = command.opts<Options>();
    const quotaLimit = quota === 'none' ? undefined : quota;
    const projectId = await createProject(plane, { accountId, name, quotaLimit });
    return { json: { projectId }, text: facts({ projectId }) };
  });
}

function list(shell: Shell): Command {
  const command = new Command('list')
    .description('list the projects of an account, or of all accounts')
    .option('--account <id>', 'the account (default: all)', readId);
  examples(command, 'project list --account acc_… --local', 'project list --stage prod --json');
  return runs(command, shell, async (plane) => {
    const { account } = command.opts<{ account?: string }>();
    if (account !== undefined) await readAccount(plane, account);
    const accountIds = account === undefined ? listAccounts(plane) : [account];
    return listing({
      name: 'projects',
      entries: mapped(readProjects(plane, accountIds), publicView),
      headings: ['PROJECT', 'NAME', 'ACCOUNT', 'STATUS', 'QUOTA', 'CREATED'],
      row: ({ projectId, name, accountId, status, quotaLimit, createdAt }) => [
        ...[projectId, name, accountId, status],
        ...[quotaLimit ?? 'none', createdAt],
      ],
      none: account === undefined ? 'There are no projects.' : 'The account has no projects.',
    });
  });
}
