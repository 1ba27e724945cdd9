import { Command } from 'commander';
import { DEFAULT_QUOTA_UNITS } from '../../functions/contract.ts';
import { createAccount, createProject } from '../../functions/data/projects.ts';
import type { Environment } from '../../local/settings.ts';
import { runs } from './session.ts';
import { facts } from './text.ts';
import { readEmail, readId, readName, readQuota } from './values.ts';

const QUOTA_DEFAULT = `default: ${DEFAULT_QUOTA_UNITS}, with --stage the stage's`;

/** `admin account …` */
export function accountCommand(environment: Environment): Command {
  const create = new Command('create')
    .description('create an account')
    .requiredOption('--name <name>', 'name of the account', readName)
    .requiredOption('--email <address>', 'where its owner can be reached', readEmail);
  runs(create, environment, async (plane) => {
    const { name, email } = create.opts<{ name: string; email: string }>();
    const accountId = await createAccount(plane, { name, email });
    return { json: { accountId }, text: facts({ accountId }) };
  });
  return new Command('account').description('accounts of developers').addCommand(create);
}

/** `admin project …` */
export function projectCommand(environment: Environment): Command {
  const create = new Command('create')
    .description('create a project')
    .requiredOption('--account <id>', 'the account that owns it', readId)
    .requiredOption('--name <name>', 'name of the project', readName)
    .option('--quota <units|none>', `request units per period, 0 to 10⁹ (${QUOTA_DEFAULT})`, readQuota);
  interface Options {
    account: string;
    name: string;
    quota?: number | 'none';
  }
  runs(create, environment, async (plane, { defaultQuota }) => {
    const { account: accountId, name, quota = defaultQuota } = create.opts<Options>();
    const projectId = await createProject(plane, {
      accountId,
      name,
      quotaLimit: quota === 'none' ? undefined : quota,
    });
    return { json: { projectId }, text: facts({ projectId }) };
  });
  return new Command('project').description('projects, which quotas count for').addCommand(create);
}
