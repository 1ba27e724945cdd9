import { Command, Option } from 'commander';
import { periodAt, periodOf, type Period } from '../../functions/shared/time.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import {
  verifyLedger,
  verifyEveryLedger,
  type ProjectVerification,
  type VerificationOptions,
} from '../../functions/usage/checks/verification.ts';
import { paragraphs } from '../cli/command-line.ts';
import {
  inconsistentTable,
  projectText,
  rollupsTable,
  verdict,
  WHAT_TO_DO,
  type ProjectRollups,
} from './ledger-text.ts';
import { countReadUnits, showReading } from './usage-meter.ts';
import { examples, requireOneOf, runs, runsConfirmed, type Outcome, type Question } from './session.ts';
import { isColourful } from '../cli/table.ts';
import { onProject, readId, type ProjectOptions } from './values.ts';
import type { Shell } from '../cli/shell.ts';
import { readProject } from '../../functions/accounts/projects/stored-projects.ts';
import { counterRepair, type CounterRepair } from '../../functions/usage/checks/repair.ts';
import type { Deployment } from './deployment.ts';
import { grouped, quoted } from './questions.ts';
import { removeRollups } from '../../functions/usage/sums/rollup-removal.ts';
import { isKeptWhole } from '../../functions/shared/request/request-store.ts';

const VERIFY_HELP = `
The exit status is also 1 when the result stays undecided, because too many requests were charged meanwhile. Then
undecidedUnits is the remaining uncertainty. With --all it reads the whole Gateway table, to find the projects that no
list names. It does not find the events of a project without any item. It finds events that are missing, added or moved,
or that charge another amount than their outcome costs. It cannot find a charge that was removed from both the counter
and the events, nor a forged event that is valid and has its charge.
It also compares the portal's stored sums of usage with the events of the period, and reports those that differ
(differingRollups). They do not concern the ledger, and do not cause exit status 1. With --remove-rollups it removes
them, and the portal sums them again at the next visit. Without it, it writes nothing.`;

/** Exactly one of `project` and `all`. */
interface VerifyOptions {
  readonly project?: string;
  readonly all?: true;
  readonly period?: string;
  readonly deep?: true;
  readonly removeRollups?: true;
}

/** `admin ledger …` */
export function ledgerCommand(shell: Shell): Command {
  const verify = new Command('verify')
    .description('compare the quota counter of a period with its usage events, and check each event')
    .addOption(new Option('--project <id>', 'one project').argParser(readId).conflicts('all'))
    .option('--all', 'every project, also those that no list names')
    .option(...PERIOD_OPTION)
    .option('--deep', 'read all events of a project, to find those of the period that are stored under another time')
    .option('--remove-rollups', 'remove the stored sums of usage that differ');
  requireOneOf(verify, 'project', 'all');
  examples(verify, 'ledger verify --project … --local', 'ledger verify --all --period 2026-10 --stage prod --json');
  runs(verify, shell, async (store, options: VerifyOptions, deployment) => {
    const { project, period: periodId, deep, removeRollups: removesRollups } = options;
    const period = chosenPeriod(periodId, deployment, store.clock.now());
    return project === undefined
      ? verifyAll(store, period, { deep, removesRollups }, shell)
      : verifyOne(store, project, period, { deep, removesRollups }, shell);
  }).addHelpText('after', paragraphs(VERIFY_HELP));
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
  // Of all projects only these are kept in memory.
  const inconsistent: ProjectVerification[] = [];
  const differingRollups: ProjectRollups[] = [];
  let projects = 0;
  const verifyEach = async (step: () => void): Promise<void> => {
    for await (const found of verifyEveryLedger(store, period, options)) {
      projects++;
      if (!found.consistent) inconsistent.push(found);
      if ('differingRollups' in found) differingRollups.push({ projectId: found.projectId, ...found.differingRollups });
      step();
    }
  };
  await showReading(store, shell, verifyEach, () => `, projects verified: ${projects}`);
  const consistent = inconsistent.length === 0;
  const summary = `${verdict(period, projects, inconsistent.length)}\nread units: ${readUnits()}`;
  return {
    json: {
      consistent,
      period: period.id,
      projects,
      inconsistent: inconsistent.map(({ consistent: _, ...found }) => found),
      ...(differingRollups.length > 0 && { differingRollups }),
      readUnits: readUnits(),
    },
    text: [
      summary,
      ...(consistent ? [] : [inconsistentTable(inconsistent, isColourful(stdout, env))]),
      ...(differingRollups.length > 0 ? [rollupsTable(differingRollups, isColourful(stdout, env))] : []),
      ...(consistent ? [] : [WHAT_TO_DO]),
    ].join('\n\n'),
    failed: !consistent,
  };
}

const REPAIR_HELP = `
The events are the record. The difference between events and counter is added to the counter, in one transaction with an
audit event. Keep the evidence first: crashes and retries cannot cause a difference. It changes nothing if events are
irregular, or if the difference is not certain. The exit status is 1 unless the ledger is consistent afterwards.`;

/** `admin ledger repair` */
function repair(shell: Shell): Command {
  const command = onProject('repair', 'correct the quota counter of a period to the sum of its usage events').option(
    ...PERIOD_OPTION,
  );
  examples(
    command,
    'ledger repair --project … --stage prod',
    'ledger repair --project … --period 2026-10 --yes --local',
  );
  const decide = (store: AccountStore, project: string, period: Period, { usageRetentionDays }: Deployment) =>
    showReading(store, shell, () => counterRepair(store, project, period, usageRetentionDays));
  let decided: CounterRepair | undefined;
  type Options = ProjectOptions & { period?: string };
  const question: Question<Options> = async (store, { project, period: id }, deployment) => {
    const period = chosenPeriod(id, deployment, store.clock.now());
    const { name } = await readProject(store, project);
    decided = await decide(store, project, period, deployment);
    if (!decided) return undefined;
    const { quotaUsed, difference, keys } = decided;
    const to = (of: number, added: number) => `from ${grouped(of)} to ${grouped(of + added)} units`;
    const counters = [
      ...(difference === 0 ? [] : [to(quotaUsed, difference)]),
      ...keys.map((key) => `that of the cap of ${key.keyId} ${to(key.unitsUsed, key.difference)}`),
    ];
    return `Set the counter of project ${quoted(name)} ${deployment.place} for ${period.id} ${counters.join(', ')}?`;
  };
  return runsConfirmed(command, shell, question, async (store, { project, period: id }, deployment) => {
    const period = chosenPeriod(id, deployment, store.clock.now());
    // The confirmed change, if a person was asked.
    const change = decided ?? (await decide(store, project, period, deployment));
    await change?.apply();
    const found = await showReading(store, shell, () => verifyLedger(store, project, period));
    const text = projectText(found, period, isColourful(shell.stdout, shell.env));
    return {
      json: {
        added: change?.difference ?? 0,
        ...(change && change.keys.length > 0 && { addedToKeys: change.keys.map(addedOf) }),
        ...found,
        period: period.id,
      },
      text: `${change ? `Added to the counter: ${grouped(change.difference)}${toKeys(change)}` : 'Nothing to repair.'}\n\n${text}`,
      failed: !found.consistent,
    };
  }).addHelpText('after', paragraphs(REPAIR_HELP));
}

const addedOf = ({ keyId, difference }: CounterRepair['keys'][number]) => ({ keyId, added: difference });

const toKeys = ({ keys }: CounterRepair): string =>
  keys.map(({ keyId, difference }) => `; to that of the cap of ${keyId}: ${grouped(difference)}`).join('');

const REMOVE_HELP = `
Run it after a restore. No charge is lost: the portal sums the events again at the next visit. For time more than 29 days
ago it then counts only charged requests, since other events are kept for 30 days. ledger verify removes only the sums
that differ. With --all it reads the whole Gateway table.`;

/** `admin ledger remove-rollups` */
function removeRollupsCommand(shell: Shell): Command {
  const command = new Command('remove-rollups')
    .description('remove the sums of usage that the portal has stored')
    .addOption(new Option('--project <id>', 'only this project').argParser(readId).conflicts('all'))
    .option('--all', 'every project');
  requireOneOf(command, 'project', 'all');
  examples(command, 'ledger remove-rollups --project … --local', 'ledger remove-rollups --all --stage prod');
  return runs(command, shell, async (store, { project }: Partial<ProjectOptions>) => {
    const removed = await removeRollups(store, project);
    return { json: { removedRollups: removed }, text: `Removed: ${removed}.` };
  }).addHelpText('after', paragraphs(REMOVE_HELP));
}

/** The option that names a period: flags and description. */
const PERIOD_OPTION = [
  '--period <id>',
  'such as 2026-10, or 2026-10-31 where the quota is counted by the day (default: the current one)',
] as const;

/** The period of an id, or the current one. Throws an error of one line when it cannot be verified. */
function chosenPeriod(id: string | undefined, deployment: Deployment, nowMs: number): Period {
  const length = deployment.quotaPeriod();
  if (id === undefined) return periodAt(nowMs, length);
  const period = periodOf(id, length);
  if (!period) {
    const example = length === 'month' ? '2026-10' : '2026-10-31';
    throw new Error(`The quota is counted by the ${length}: give --period as ${example}.`);
  }
  if (period.startsAtMs > nowMs) throw new Error(`The period ${id} has not begun.`);
  if (!isKeptWhole(period, deployment.usageRetentionDays, nowMs))
    throw new Error(`The usage events of ${id} are no longer all kept.`);
  return period;
}
