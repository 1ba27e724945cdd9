import { MS_PER_SECOND } from '../core/clock.ts';
import type { Period } from '../core/period.ts';
import { listAccounts } from '../accounts/accounts.ts';
import { ControlPlaneError, type ControlPlane } from '../accounts/control-plane.ts';
import { listAccountProjects, readQuotaUsed, requireProject } from '../accounts/projects.ts';
import { eventQuery } from './log.ts';
import { usagePages } from './pages.ts';

/** Whether the ledger's invariant holds for one project and period. */
export interface LedgerVerification {
  /** Whether the sum of the events lies between the counter's values before and after summing. */
  readonly consistent: boolean;
  /** Units on the quota counter, read last. */
  readonly quotaUsed: number;
  /** Sum of the units of the period's usage events. */
  readonly ledgerUnits: number;
}

/**
 * Holds the quota counter of a period against the sum of its events. Correct while traffic goes on: the counter is read
 * before and after. Throws `ControlPlaneError` for an unknown project, and for a period of the wrong length.
 */
export async function verifyLedger(
  plane: ControlPlane,
  projectId: string,
  period: Period,
): Promise<LedgerVerification> {
  await requireProject(plane, projectId);
  const first = await compareOnce(plane, projectId, period);
  // Plain reads can see a transaction half applied; what is still wrong at a second look is wrong.
  return first.consistent ? first : compareOnce(plane, projectId, period);
}

async function compareOnce(plane: ControlPlane, projectId: string, period: Period): Promise<LedgerVerification> {
  const before = await readQuotaUsed(plane, projectId, period.id);
  // An event's time and period come from one clock reading, so the period's events lie within its bounds.
  const span = { sinceMs: period.startsAtMs, untilMs: period.endsAtEpochSeconds * MS_PER_SECOND };
  let ledgerUnits = 0;
  let otherPeriod: string | undefined;
  for await (const { events } of usagePages(plane.client, eventQuery(plane, projectId, span))) {
    for (const event of events) {
      if (event.period === period.id) ledgerUnits += event.units;
      else if (event.units !== 0) otherPeriod = event.period;
    }
  }
  const after = await readQuotaUsed(plane, projectId, period.id);
  if (otherPeriod !== undefined && ledgerUnits === 0 && after === 0) {
    throw new ControlPlaneError(
      `Units were charged to ${otherPeriod}, none to ${period.id}: set QUOTA_PERIOD to match.`,
    );
  }
  return { consistent: before <= ledgerUnits && ledgerUnits <= after, quotaUsed: after, ledgerUnits };
}

/** What {@link verifyLedger} found of one project among all. */
export interface ProjectVerification extends LedgerVerification {
  readonly projectId: string;
}

/**
 * Verifies the ledger of every project of every account, one after another as they are taken, so that what is in memory
 * does not grow with them. Throws `ControlPlaneError`, with the project's name, where {@link verifyLedger} does.
 */
export async function* verifyEveryLedger(plane: ControlPlane, period: Period): AsyncGenerator<ProjectVerification> {
  for await (const accountId of listAccounts(plane)) {
    for await (const projectId of listAccountProjects(plane, accountId)) {
      yield { projectId, ...(await verifyNamed(plane, projectId, period)) };
    }
  }
}

async function verifyNamed(plane: ControlPlane, projectId: string, period: Period): Promise<LedgerVerification> {
  try {
    return await verifyLedger(plane, projectId, period);
  } catch (error) {
    if (!(error instanceof ControlPlaneError)) throw error;
    throw new ControlPlaneError(`Project ${projectId}: ${error.message}`, { cause: error });
  }
}
