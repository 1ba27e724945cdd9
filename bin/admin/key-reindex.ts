import { Command, Option } from 'commander';
import { listAccounts } from '../../functions/accounts/accounts.ts';
import type { AccountStore } from '../../functions/accounts/account-store.ts';
import { completeKeyList } from '../../functions/accounts/key-list-completion.ts';
import { listAccountProjects } from '../../functions/accounts/stored-projects.ts';
import { paragraphs } from './help-text.ts';
import { examples, requireOneOf, runs } from './session.ts';
import type { Shell } from './shell.ts';
import { readId } from './values.ts';

const HELP = `
Once after the upgrade to a version that lists keys in pages, and again after a rollback to one before it. Until then
people see the keys of such a project in the order of their ids. Keys that have ended go 90 days after their end. It
may be repeated, and run while keys are used and changed.`;

/** `admin key reindex` */
export function reindexCommand(shell: Shell): Command {
  const command = new Command('reindex')
    .description('put the lists of keys right, of projects from before keys were listed in pages')
    .addOption(new Option('--project <id>', 'of one project').argParser(readId).conflicts('all'))
    .option('--all', 'of every project');
  requireOneOf(command, 'project', 'all');
  examples(command, 'key reindex --project … --local', 'key reindex --all --stage prod');
  return runs(command, shell, async (store) => {
    const { project } = command.opts<{ project?: string; all?: true }>();
    let [projects, corrected] = [0, 0];
    for await (const projectId of project === undefined ? everyProject(store) : [project]) {
      corrected += await completeKeyList(store, projectId);
      projects++;
    }
    return { json: { projects, corrected }, text: `Projects: ${projects}. Keys put right: ${corrected}.` };
  }).addHelpText('after', paragraphs(HELP));
}

async function* everyProject(store: AccountStore): AsyncGenerator<string> {
  for await (const accountId of listAccounts(store)) yield* listAccountProjects(store, accountId);
}
