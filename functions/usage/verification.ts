import { StoreBusyError } from '../core/errors.ts';
import type { Period } from '../core/period.ts';
import { RefusedError } from '../accounts/refusals.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { listEveryProject, requireProject } from '../accounts/stored-projects.ts';
import { OPERATIONS } from '../operations/index.ts';
import { NO_DEADLINE } from '../store/client.ts';
import { closest, judge, type Difference, type Look } from './difference.ts';
import type { OperationUnits } from './irregular-events.ts';
import { ledgerAudit, type IrregularEvents } from './ledger-audit.ts';
import { observer } from './looks.ts';
import { rollupCheck, type RemovedRollups } from './rollup-check.ts';

/** Whether the ledger's invariant holds for one project and period. */
export interface LedgerVerification {
  /** Whether events and counter certainly agree, and every event is one that the gateway writes. */
  readonly consistent: boolean;
  /** Units on the quota counter, at the end of the look that {@link ledgerUnits} is of. */
  readonly quotaUsed: number;
  /** Sum of the units of the period's usage events. While requests are charged it may be of a moment before. */
  readonly ledgerUnits: number;
  /** Units that the events have more than the counter; below 0: fewer. Absent: as many. */
  readonly difference?: Difference;
  /** How far the bounds of the difference are apart, where it may be 0: too much was charged meanwhile. */
  readonly undecidedUnits?: number;
  /** Absent: there are none. */
  readonly irregularEvents?: IrregularEvents;
  /**
   * What the portal kept of the period's usage and was removed, since it differed from the events; it is summed again.
   * Says nothing of the ledger itself. Absent: nothing was.
   */
  readonly removedRollups?: RemovedRollups;
}

/** How a ledger is verified. */
export interface VerificationOptions {
  /** Whether to read every event of the project, not only those of the period's time: one may stand elsewhere. */
  readonly deep?: boolean | undefined;
  /** What each operation charges; of one that is not in it, any number of units is right. */
  readonly unitsOf?: OperationUnits;
}

const UNITS_OF: OperationUnits = new Map(OPERATIONS.map(({ name, units }) => [name, units]));

/** Looks at one project. Sound books under load are decided by two, or by a few more. */
const MAX_LOOKS = 16;
/** Pause before each further look, longer each time: charges that come at a beat must not meet every look. */
const PAUSE_MS = 20;

/**
 * Holds the quota counter of a period against the sum of its events, and every event against what the gateway writes.
 * Removes what is kept of the period's usage where it differs from the events.
 * May run while requests are charged, see {@link judge}. Throws `RefusedError` for an unknown project, and for a
 * counter that holds no number.
 */
export async function verifyLedger(
  store: AccountStore,
  projectId: string,
  period: Period,
  { deep = false, unitsOf = UNITS_OF }: VerificationOptions = {},
): Promise<LedgerVerification> {
  await requireProject(store, projectId);
  const look = observer(store, { projectId, period, deep });
  const audit = ledgerAudit(period, unitsOf);
  const rollups = await rollupCheck(store, projectId, period);
  const looks = [
    await look((item) => {
      audit.first(item);
      rollups.count(item);
    }),
  ];
  if (audit.needsSecond()) looks.push(await look(audit.second));
  while (judge(looks).verdict === 'undecided' && looks.length < MAX_LOOKS) {
    await store.sleep(looks.length * PAUSE_MS, NO_DEADLINE);
    looks.push(await look(() => undefined));
  }
  const removedRollups = await rollups.removeDiffering();
  return { ...verification(looks, audit.result()), ...(removedRollups && { removedRollups }) };
}

function verification(looks: readonly Look[], irregularEvents: IrregularEvents | undefined): LedgerVerification {
  const { verdict, difference } = judge(looks);
  const { sum, after } = closest(looks);
  return {
    consistent: verdict === 'balanced' && irregularEvents === undefined,
    quotaUsed: after,
    ledgerUnits: sum,
    ...(verdict !== 'balanced' && { difference }),
    ...(verdict === 'undecided' && { undecidedUnits: difference.atMost - difference.atLeast }),
    ...(irregularEvents && { irregularEvents }),
  };
}

/** What {@link verifyLedger} found of one project among all, or why it could not. */
export type ProjectVerification = { readonly projectId: string } & (
  LedgerVerification | { readonly consistent: false; readonly error: string }
);

/**
 * Verifies the ledger of every project there is, whatever lists say, one after another as they are taken, so that what
 * is in memory does not grow with them. Where {@link verifyLedger} throws `RefusedError`, or a counter is never free
 * to be read, that is what is told of the project. Throws when the store cannot be read: that is no project's fault.
 */
export async function* verifyEveryLedger(
  store: AccountStore,
  period: Period,
  options?: VerificationOptions,
): AsyncGenerator<ProjectVerification> {
  for await (const projectId of listEveryProject(store)) {
    yield { projectId, ...(await verified(store, projectId, period, options)) };
  }
}

async function verified(...args: Parameters<typeof verifyLedger>) {
  try {
    return await verifyLedger(...args);
  } catch (error) {
    if (!(error instanceof RefusedError || error instanceof StoreBusyError)) throw error;
    return { consistent: false, error: error.message } as const;
  }
}
