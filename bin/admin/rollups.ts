import { Command, Option } from 'commander';
import { removeRollups } from '../../functions/usage/rollup-removal.ts';
import { paragraphs } from './help-text.ts';
import { examples, requireOneOf, runs } from './session.ts';
import type { Shell } from './shell.ts';
import { readId } from './values.ts';

const HELP = `
Nothing is lost: the portal sums the events again when somebody looks, but that of what is older than 29 days only what
was charged is there. For after a restore; ledger verify removes only what differs. With --all the whole Gateway table
is read.`;

/** `admin ledger remove-rollups` */
export function removeRollupsCommand(shell: Shell): Command {
  const command = new Command('remove-rollups')
    .description('remove what the portal keeps of summed usage')
    .addOption(new Option('--project <id>', 'of one project').argParser(readId).conflicts('all'))
    .option('--all', 'of every project');
  requireOneOf(command, 'project', 'all');
  examples(command, 'ledger remove-rollups --project … --local', 'ledger remove-rollups --all --stage prod');
  return runs(command, shell, async (store) => {
    const { project } = command.opts<{ project?: string; all?: true }>();
    const removed = await removeRollups(store, project);
    return { json: { removedRollups: removed }, text: `Removed: ${removed}.` };
  }).addHelpText('after', paragraphs(HELP));
}
