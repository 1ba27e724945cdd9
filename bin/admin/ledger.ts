import { Command, Option } from 'commander';
import type { Period } from '../../functions/core/period.ts';
import type { AccountStore } from '../../functions/accounts/account-store.ts';
import { countReadUnits } from '../../functions/usage/read-units.ts';
import { verifyLedger, verifyEveryLedger } from '../../functions/usage/verification.ts';
import type { ProjectVerification, VerificationOptions } from '../../functions/usage/verification.ts';
import { chosenPeriod, PERIOD_OPTION } from './chosen-period.ts';
import { paragraphs } from './help-text.ts';
import { repair } from './ledger-repair.ts';
import {
  inconsistentTable,
  projectText,
  removedTable,
  verdict,
  WHAT_TO_DO,
  type ProjectRollups,
} from './ledger-text.ts';
import { showReading } from './reading.ts';
import { removeRollupsCommand } from './rollups.ts';
import { examples, requireOneOf, runs, type Outcome } from './session.ts';
import { isColourful } from './text.ts';
import { readId } from './values.ts';
import type { Shell } from './shell.ts';

const HELP = `
Exit status 1 also when it stays undecided: too many requests were charged meanwhile; undecidedUnits says how far it is.
With --all the whole Gateway table is read, for the projects that no list names; the events of a project without any
item are not found. Noticed are events that are missing, added, moved or charge what their outcome does not. Not
noticed is a charge that is gone from both sides, or an event that is right in itself and has its charge.
What the portal keeps of summed usage is held against the events of the period, too; what differs is removed and told
(removedRollups), and summed again when somebody looks. It says nothing of the ledger, and is no reason for status 1.`;

/** Exactly one of `project` and `all`. */
interface VerifyOptions {
  readonly project?: string;
  readonly all?: true;
  readonly period?: string;
  readonly deep?: true;
}

/** `admin ledger …` */
export function ledgerCommand(shell: Shell): Command {
  const verify = new Command('verify')
    .description('hold the quota counter of a period against its usage events, and each event against its outcome')
    .addOption(new Option('--project <id>', 'one project').argParser(readId).conflicts('all'))
    .option('--all', 'every project, whether a list names it or not')
    .option(...PERIOD_OPTION)
    .option('--deep', "read all events of a project, for those of the period that are not in the period's time");
  requireOneOf(verify, 'project', 'all');
  examples(verify, 'ledger verify --project … --local', 'ledger verify --all --period 2026-10 --stage prod --json');
  runs(verify, shell, async (store, deployment) => {
    const { project, period: periodId, deep } = verify.opts<VerifyOptions>();
    const period = chosenPeriod(periodId, deployment, store.clock.now());
    return project === undefined
      ? verifyAll(store, period, { deep }, shell)
      : verifyOne(store, project, period, { deep }, shell);
  }).addHelpText('after', paragraphs(HELP));
  return new Command('ledger')
    .description('the ledger of projects')
    .addCommand(verify)
    .addCommand(repair(shell))
    .addCommand(removeRollupsCommand(shell));
}

async function verifyOne(
  store: AccountStore,
  projectId: string,
  period: Period,
  options: VerificationOptions,
  shell: Shell,
): Promise<Outcome> {
  const { env, stdout } = shell;
  const found = await showReading(store, shell, () => verifyLedger(store, projectId, period, options));
  return {
    json: { ...found, period: period.id },
    text: projectText(found, period, isColourful(stdout, env)),
    failed: !found.consistent,
  };
}

async function verifyAll(
  store: AccountStore,
  period: Period,
  options: VerificationOptions,
  shell: Shell,
): Promise<Outcome> {
  const { env, stdout } = shell;
  const readUnits = countReadUnits(store.client);
  // Of all projects only these are kept.
  const inconsistent: ProjectVerification[] = [];
  const removedRollups: ProjectRollups[] = [];
  let projects = 0;
  const verifyEach = async (step: () => void): Promise<void> => {
    for await (const found of verifyEveryLedger(store, period, options)) {
      projects++;
      if (!found.consistent) inconsistent.push(found);
      if ('removedRollups' in found) removedRollups.push({ projectId: found.projectId, ...found.removedRollups });
      step();
    }
  };
  await showReading(store, shell, verifyEach, () => `, projects verified: ${projects}`);
  const consistent = inconsistent.length === 0;
  const summary = `${verdict(period, projects, inconsistent.length)}\nread units: ${readUnits()}`;
  return {
    json: {
      ...{ consistent, period: period.id, projects },
      inconsistent: inconsistent.map(({ consistent: _, ...found }) => found),
      ...(removedRollups.length > 0 && { removedRollups }),
      readUnits: readUnits(),
    },
    text: [
      summary,
      ...(consistent ? [] : [inconsistentTable(inconsistent, isColourful(stdout, env))]),
      ...(removedRollups.length > 0 ? [removedTable(removedRollups, isColourful(stdout, env))] : []),
      ...(consistent ? [] : [WHAT_TO_DO]),
    ].join('\n\n'),
    failed: !consistent,
  };
}
