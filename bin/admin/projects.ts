import { Command } from 'commander';
import { DEFAULT_QUOTA_UNITS } from '../../functions/shared/names.ts';
import { periodAt } from '../../functions/shared/time.ts';
import { listAccounts, readAccount } from '../../functions/accounts/team/accounts.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import {
  createProject,
  resumeProject,
  suspendProject,
  updateProject,
} from '../../functions/accounts/projects/projects.ts';
import {
  listAccountProjects,
  readProject,
  readProjects,
  readQuotaUsed,
  type StoredProject,
} from '../../functions/accounts/projects/stored-projects.ts';
import { listing, mapped } from './listing.ts';
import { grouped, projectInQuestion } from './questions.ts';
import { examples, requireOneOf, runs, runsConfirmed, type Outcome, type Question } from './session.ts';
import { facts } from '../cli/text.ts';
import {
  onProject,
  readId,
  readName,
  readQuota,
  readShards,
  type AccountOptions,
  type ProjectOptions,
} from './values.ts';
import type { Shell } from '../cli/shell.ts';

const QUOTA_DEFAULT = `default: ${DEFAULT_QUOTA_UNITS}, with --stage the stage's`;

/** `admin project …` */
export const projectCommand = (shell: Shell): Command =>
  new Command('project')
    .description('projects; each has a quota')
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
  type Options = AccountOptions & { name: string; quota?: number | 'none' };
  return runs(command, shell, async (store, options: Options, { defaultQuota }) => {
    const { account: accountId, name, quota = defaultQuota } = options;
    const quotaLimit = quota === 'none' ? undefined : quota;
    const projectId = await createProject(store, { accountId, name, quotaLimit });
    return { json: { projectId }, text: facts({ projectId }) };
  });
}

function list(shell: Shell): Command {
  const command = new Command('list')
    .description('list the projects of an account, or of all accounts')
    .option('--account <id>', 'the account (default: all)', readId);
  examples(command, 'project list --account acc_… --local', 'project list --stage prod --json');
  return runs(command, shell, async (store, { account }: Partial<AccountOptions>) => {
    if (account !== undefined) await readAccount(store, account);
    const accountIds = account === undefined ? listAccounts(store) : [account];
    return listing({
      name: 'projects',
      entries: mapped(readProjects(store, accountIds), publicView),
      columns: {
        PROJECT: ({ projectId }) => projectId,
        NAME: ({ name }) => name,
        ACCOUNT: ({ accountId }) => accountId,
        STATUS: ({ status }) => status,
        QUOTA: ({ quotaLimit }) => quotaLimit ?? 'none',
        CREATED: ({ createdAt }) => createdAt,
      },
      none: account === undefined ? 'There are no projects.' : 'The account has no projects.',
    });
  });
}

function show(shell: Shell): Command {
  const command = onProject('show', 'show a project, with its quota and what of it is used in the current period');
  examples(command, 'project show --project … --local');
  return runs(command, shell, async (store, { project: projectId }: ProjectOptions, { quotaPeriod }) => {
    const period = periodAt(store.clock.now(), quotaPeriod());
    const project = publicView(await readProject(store, projectId));
    const quotaUsed = await readQuotaUsed(store, projectId, period.id);
    const json = { ...project, period: period.id, quotaUsed };
    return { json, text: facts({ ...json, quotaLimit: json.quotaLimit ?? 'none' }) };
  });
}

function update(shell: Shell): Command {
  const command = onProject('update', 'change the name of a project, its quota and shards, from its next request on')
    .option('--name <name>', 'its new name', readName)
    .option('--quota <units|none>', 'request units per period, 0 to 10⁹; none: no quota is enforced', readQuota)
    .option(
      '--shards <n>',
      'count its quota in this many items, 1 to 32: for more than 30 requests a second',
      readShards,
    );
  requireOneOf(command, 'name', 'quota', 'shards');
  examples(
    command,
    'project update --project … --quota 50000 --stage prod',
    'project update --project … --quota none --local',
    'project update --project … --shards 16 --stage prod',
  );
  type Options = ProjectOptions & { name?: string; quota?: number | 'none'; shards?: number };
  const question: Question<Options> = async (store, { project, quota }, deployment) => {
    if (typeof quota !== 'number') return undefined;
    const { words, used, periodId } = await projectInQuestion(store, deployment, project);
    if (quota > used) return undefined;
    return `Set the quota of ${words} to ${grouped(quota)}? ${grouped(used)} are used in ${periodId}: its next requests are refused.`;
  };
  return runsConfirmed(command, shell, question, async (store, { project, ...changes }) =>
    changed(await updateProject(store, project, changes)),
  );
}

function suspend(shell: Shell): Command {
  const command = onProject('suspend', "refuse a project's requests (403 PROJECT_SUSPENDED) from the next one on");
  examples(command, 'project suspend --project … --stage prod', 'project suspend --project … --yes --local');
  const question: Question<ProjectOptions> = async (store, { project }, deployment) => {
    const { words, status, use } = await projectInQuestion(store, deployment, project);
    if (status === 'suspended') return undefined;
    return `Suspend ${words} (${use})? Its requests are refused at once.`;
  };
  return runsConfirmed(command, shell, question, async (store, { project }) =>
    changed(await suspendProject(store, project)),
  );
}

function resume(shell: Shell): Command {
  const command = onProject('resume', "end a suspension: a project's requests are served again from the next one on");
  examples(command, 'project resume --project … --stage prod');
  return runs(command, shell, async (store, { project }: ProjectOptions) =>
    changed(await resumeProject(store, project)),
  );
}

function changed(project: StoredProject): Outcome {
  const json = publicView(project);
  return { json, text: facts({ ...json, quotaLimit: json.quotaLimit ?? 'none' }) };
}

/** A project for display; `quotaLimit` null: not enforced. */
const publicView = ({ projectId, name, accountId, status, quotaLimit, shards = 1, createdAt }: StoredProject) => ({
  projectId,
  name,
  accountId,
  status,
  quotaLimit: quotaLimit ?? null,
  shards,
  createdAt,
});

/** The ids of the projects of all accounts, closed ones included. */
export async function* everyProject(store: AccountStore): AsyncGenerator<string> {
  for await (const accountId of listAccounts(store)) yield* listAccountProjects(store, accountId);
}
