import { Command, Option } from 'commander';
import { isKeptWhole } from '../../functions/core/request-store.ts';
import { periodAt, periodOf, type Period } from '../../functions/core/period.ts';
import type { ControlPlane } from '../../functions/accounts/control-plane.ts';
import { countReadUnits } from '../../functions/usage/read-units.ts';
import { verifyLedger, verifyEveryLedger, type ProjectVerification } from '../../functions/usage/verification.ts';
import type { Deployment } from './deployment.ts';
import { progress } from './progress.ts';
import { examples, requireOneOf, runs, type Outcome } from './session.ts';
import { facts, isColourful, table } from './text.ts';
import { readId } from './values.ts';
import type { Shell } from './shell.ts';

const HEADINGS = ['PROJECT', 'QUOTA USED', 'LEDGER UNITS'];

/** Exactly one of `project` and `all`. */
interface VerifyOptions {
  readonly project?: string;
  readonly all?: true;
  readonly period?: string;
}

/** `admin ledger …` */
export function ledgerCommand(shell: Shell): Command {
  const verify = new Command('verify')
    .description('hold the quota counter of a period against the sum of its usage events')
    .addOption(new Option('--project <id>', 'one project').argParser(readId).conflicts('all'))
    .option('--all', 'every project of every account')
    .option(
      '--period <id>',
      'such as 2026-10, or 2026-10-31 where the quota is counted by the day (default: the current one)',
    );
  requireOneOf(verify, 'project', 'all');
  examples(verify, 'ledger verify --project … --local', 'ledger verify --all --period 2026-10 --stage prod --json');
  runs(verify, shell, async (plane, deployment) => {
    const { project, period: periodId } = verify.opts<VerifyOptions>();
    const period = chosenPeriod(periodId, deployment, plane.clock.now());
    return project === undefined ? verifyAll(plane, period, shell) : verifyOne(plane, project, period);
  });
  return new Command('ledger').description('the ledger of projects').addCommand(verify);
}

async function verifyOne(plane: ControlPlane, projectId: string, period: Period): Promise<Outcome> {
  const { consistent, quotaUsed, ledgerUnits } = await verifyLedger(plane, projectId, period);
  return {
    json: { consistent, quotaUsed, ledgerUnits, period: period.id },
    text: facts({ consistent: consistent ? 'yes' : 'NO', quotaUsed, ledgerUnits, period: period.id }),
    failed: !consistent,
  };
}

async function verifyAll(plane: ControlPlane, period: Period, { env, stdout, stderr }: Shell): Promise<Outcome> {
  const readUnits = countReadUnits(plane.client);
  const shown = progress('projects verified', stderr);
  // Of all projects only these are kept.
  const inconsistent: Omit<ProjectVerification, 'consistent'>[] = [];
  let projects = 0;
  try {
    for await (const { consistent, ...found } of verifyEveryLedger(plane, period)) {
      projects++;
      if (!consistent) inconsistent.push(found);
      shown.step();
    }
  } finally {
    shown.end();
  }
  const consistent = inconsistent.length === 0;
  const summary = `${verdict(period, projects, inconsistent.length)}\nread units: ${readUnits()}`;
  const rows = inconsistent.map(({ projectId, quotaUsed, ledgerUnits }) => [projectId, quotaUsed, ledgerUnits]);
  return {
    json: { consistent, period: period.id, projects, inconsistent, readUnits: readUnits() },
    text: consistent ? summary : `${summary}\n\n${table(HEADINGS, rows, isColourful(stdout, env))}`,
    failed: !consistent,
  };
}

function verdict({ id }: Period, projects: number, inconsistent: number): string {
  if (projects === 0) return `Nothing to verify in ${id}: there are no projects.`;
  return inconsistent === 0
    ? `Consistent in ${id}: all projects (${projects}).`
    : `NOT consistent in ${id}: ${inconsistent} of ${projects} projects.`;
}

/** The period of an id, or the current one. Throws an error of one line when its ledger cannot be verified. */
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
