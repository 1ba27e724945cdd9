import type { Period } from '../core/period.ts';
import { listAccounts } from './accounts.ts';
import { ControlPlaneError, type ControlPlane } from './control-plane.ts';
import { listAccountProjects } from './projects.ts';
import { verifyLedger, type LedgerVerification } from './usage-log.ts';

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
