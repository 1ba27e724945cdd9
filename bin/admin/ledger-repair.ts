import { Command } from 'commander';
import type { AccountStore } from '../../functions/accounts/account-store.ts';
import { readProject } from '../../functions/accounts/stored-projects.ts';
import type { Period } from '../../functions/core/period.ts';
import { counterRepair, type CounterRepair } from '../../functions/usage/repair.ts';
import { verifyLedger } from '../../functions/usage/verification.ts';
import { chosenPeriod, PERIOD_OPTION } from './chosen-period.ts';
import type { Deployment } from './deployment.ts';
import { paragraphs } from './help-text.ts';
import { projectText } from './ledger-text.ts';
import { grouped, quoted } from './questions.ts';
import { showReading } from './reading.ts';
import { examples, runsConfirmed, type Question } from './session.ts';
import { isColourful } from './text.ts';
import { readId } from './values.ts';
import type { Shell } from './shell.ts';

const HELP = `
The events are the record: what they have more or fewer than the counter is added to it, in one transaction with an audit
event. Keep the evidence first: crashes and retries cannot cause a difference. Nothing is changed where events are
irregular, or the difference is not certain. Exit status 1 unless the ledger is consistent afterwards.`;

interface RepairOptions {
  readonly project: string;
  readonly period?: string;
}

/** `admin ledger repair` */
export function repair(shell: Shell): Command {
  const command = new Command('repair')
    .description('bring the quota counter of a period to the sum of its usage events')
    .requiredOption('--project <id>', 'the project', readId)
    .option(...PERIOD_OPTION);
  examples(
    command,
    'ledger repair --project … --stage prod',
    'ledger repair --project … --period 2026-10 --yes --local',
  );
  const decide = (store: AccountStore, project: string, period: Period, { usageRetentionDays }: Deployment) =>
    showReading(store, shell, () => counterRepair(store, project, period, usageRetentionDays));
  let decided: CounterRepair | undefined;
  const question: Question = async (store, deployment) => {
    const { project, period: id } = command.opts<RepairOptions>();
    const period = chosenPeriod(id, deployment, store.clock.now());
    const { name } = await readProject(store, project);
    decided = await decide(store, project, period, deployment);
    if (!decided) return undefined;
    const { quotaUsed, difference } = decided;
    const [from, to] = [grouped(quotaUsed), grouped(quotaUsed + difference)];
    return `Set the counter of project ${quoted(name)} ${deployment.place} for ${period.id} from ${from} to ${to} units?`;
  };
  return runsConfirmed(command, shell, question, async (store, deployment) => {
    const { project, period: id } = command.opts<RepairOptions>();
    const period = chosenPeriod(id, deployment, store.clock.now());
    // What was agreed to, where somebody was asked.
    const change = decided ?? (await decide(store, project, period, deployment));
    await change?.apply();
    const found = await showReading(store, shell, () => verifyLedger(store, project, period));
    const text = projectText(found, period, isColourful(shell.stdout, shell.env));
    return {
      json: { added: change?.difference ?? 0, ...found, period: period.id },
      text: `${change ? `Added to the counter: ${grouped(change.difference)}` : 'Nothing to repair.'}\n\n${text}`,
      failed: !found.consistent,
    };
  }).addHelpText('after', paragraphs(HELP));
}
