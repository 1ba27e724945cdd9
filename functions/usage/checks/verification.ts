import { StoreBusyError } from '../../shared/http/errors.ts';
import type { Period } from '../../shared/time.ts';
import { RefusedError } from '../../accounts/store/refusals.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { listEveryProject, requireProject } from '../../accounts/projects/stored-projects.ts';
import { OPERATIONS } from '../../gateway/operations/index.ts';
import { firstKeyOf } from '../../shared/request/cap-period.ts';
import type { CapPassOver } from './cap-passes.ts';
import { closest, judge, type Difference, type Pass } from './difference.ts';
import { ledgerAudit, type IrregularEvents, type OperationUnits } from '../events/irregular-events.ts';
import { passUntilDecided, ledgerPasses, type LedgerPass, type PassSubject } from './passes.ts';
import { rollupCheck, type DifferingRollups } from './rollup-check.ts';

/** A counter of a key's cap that does not certainly agree with the events under it. */
export interface CapVerification {
  /** The key that first had the cap; those of its rotations and of its budget share the counter. */
  readonly keyId: string;
  /** The id of the cap and its period. Absent: the key's own, and the verified period. */
  readonly capId?: string;
  readonly period?: string;
  readonly unitsUsed: number;
  readonly ledgerUnits: number;
  readonly difference: Difference;
  readonly undecidedUnits?: number;
  /** The same of the units of the verified month, where the whole counter differs by another number. */
  readonly monthDifference?: Difference;
}

/** The result of verifying one project and period. */
export interface LedgerVerification {
  /** Whether events and counters certainly agree, and every event is one that the gateway writes. */
  readonly consistent: boolean;
  /** Units on the quota counter, at the end of the pass of {@link ledgerUnits}. */
  readonly quotaUsed: number;
  /** Sum of the units of the period's usage events. While requests are charged, it may be slightly older. */
  readonly ledgerUnits: number;
  /** The sum of the events minus the counter; below 0: the events have fewer. Absent: they are equal. */
  readonly difference?: Difference;
  /** The distance between the bounds of a difference that may be 0: too much was charged meanwhile. */
  readonly undecidedUnits?: number;
  /** Caps of keys that differ, or may. Absent: all agree. */
  readonly keys?: readonly CapVerification[];
  /** Absent: there are none. */
  readonly irregularEvents?: IrregularEvents;
  /**
   * Stored sums of the period's usage that differ from the events. They do not concern the ledger. Absent: none.
   */
  readonly differingRollups?: DifferingRollups;
}

/** Options of a verification. */
export interface VerificationOptions extends Pick<PassSubject, 'isCheap' | 'mostEvents'> {
  /**
   * Whether to read every event of the project, and not only those of the period's time: an event may be stored
   * elsewhere.
   */
  readonly deep?: boolean | undefined;
  /** The units of each operation. For an unknown operation, any number of units is right. */
  readonly unitsOf?: OperationUnits;
  /** Whether to remove stored sums that differ. */
  readonly removesRollups?: boolean | undefined;
  /** Whether there is time for a further pass. Default: always. */
  readonly hasTime?: () => boolean;
}

const UNITS_OF: OperationUnits = new Map(OPERATIONS.map(({ name, units }) => [name, units]));

/** The most passes over one project. A consistent ledger under load needs two, or a few more. */
const MAX_PASSES = 16;

/**
 * Compares the quota counter of a period with the sum of its events, and checks every event and the stored sums of the
 * period's usage. It writes nothing, unless differing sums shall be removed. It may run while requests are charged, see
 * {@link judge}. Throws `RefusedError` for an unknown project, and for a counter without a number, and `TooManyEvents`.
 */
export async function verifyLedger(
  store: AccountStore,
  projectId: string,
  period: Period,
  { deep = false, unitsOf = UNITS_OF, removesRollups = false, hasTime = () => true, ...how }: VerificationOptions = {},
): Promise<LedgerVerification> {
  await requireProject(store, projectId);
  const pass = ledgerPasses(store, { projectId, period, deep, ...how });
  const audit = ledgerAudit(period, unitsOf);
  const rollups = await rollupCheck(store, projectId, period);
  const passes = [
    await pass((item) => {
      audit.visit(item);
      rollups.count(item);
    }),
  ];
  const isOpen = (seen: readonly LedgerPass[]): boolean => isUndecided(seen) && hasTime();
  await passUntilDecided(store, passes, MAX_PASSES, () => pass(() => undefined), isOpen);
  const differingRollups = rollups.differing();
  if (removesRollups) await rollups.remove();
  return { ...verification(passes, period, audit.result()), ...(differingRollups && { differingRollups }) };
}

function verification(
  passes: readonly LedgerPass[],
  period: Period,
  irregularEvents: IrregularEvents | undefined,
): LedgerVerification {
  const { used, ledgerUnits, ...different } = verified(passes);
  const keys = passesOfCaps(passes).flatMap((ofCap) => differing(ofCap, period) ?? []);
  return {
    consistent: different.difference === undefined && keys.length === 0 && irregularEvents === undefined,
    quotaUsed: used,
    ledgerUnits,
    ...different,
    ...(keys.length > 0 && { keys }),
    ...(irregularEvents && { irregularEvents }),
  };
}

/** The result of the passes for one counter; without a difference: it certainly agrees. */
function verified(passes: readonly Pass[]) {
  const { verdict, difference } = judge(passes);
  const { sum, after } = closest(passes);
  return {
    used: after,
    ledgerUnits: sum,
    ...(verdict !== 'balanced' && { difference }),
    ...(verdict === 'undecided' && { undecidedUnits: difference.atMost - difference.atLeast }),
  };
}

/** The result for a cap; undefined: its counter certainly agrees, and with the sum of its months. */
function differing(passes: readonly CapPassOver[], period: Period): CapVerification | undefined {
  const { used, ledgerUnits, difference = NO_DIFFERENCE, undecidedUnits } = verified(passes);
  const { spanId, capId, rest, lacking } = closest(passes);
  if (difference === NO_DIFFERENCE && lacking === 0) return undefined;
  const keyId = firstKeyOf(capId);
  const whole = { atLeast: difference.atLeast + lacking, atMost: difference.atMost + lacking };
  return {
    keyId,
    ...(capId !== keyId && { capId }),
    ...(spanId !== period.id && { period: spanId }),
    unitsUsed: used + rest,
    ledgerUnits: ledgerUnits + rest + lacking,
    difference: whole,
    ...(undecidedUnits !== undefined && { undecidedUnits }),
    ...(lacking !== 0 && { monthDifference: difference }),
  };
}

const NO_DIFFERENCE: Difference = { atLeast: 0, atMost: 0 };

/** The passes over each counter of a cap. A pass omits one that had neither a counter nor an event at that time. */
const passesOfCaps = (passes: readonly LedgerPass[]): CapPassOver[][] =>
  [
    ...Map.groupBy(
      passes.flatMap(({ caps }) => [...caps]),
      ([sk]) => sk,
    ).values(),
  ].map((some) => some.map(([, pass]) => pass));

const isUndecided = (passes: readonly LedgerPass[]): boolean =>
  [passes, ...passesOfCaps(passes)].some((each) => judge(each).verdict === 'undecided');

/** The result of {@link verifyLedger} for one of all projects, or why there is none. */
export type ProjectVerification = { readonly projectId: string } & (
  LedgerVerification | { readonly consistent: false; readonly error: string }
);

/**
 * Verifies the ledger of every project, also of those that no list names, one after another, in bounded memory. If
 * {@link verifyLedger} throws `RefusedError`, or a counter is never free to be read, that is the project's result.
 * Throws when the store cannot be read.
 */
export async function* verifyEveryLedger(
  store: AccountStore,
  period: Period,
  options?: VerificationOptions,
): AsyncGenerator<ProjectVerification> {
  for await (const projectId of listEveryProject(store)) {
    yield { projectId, ...(await verifiedOrNot(store, projectId, period, options)) };
  }
}

async function verifiedOrNot(...args: Parameters<typeof verifyLedger>) {
  try {
    return await verifyLedger(...args);
  } catch (error) {
    if (!(error instanceof RefusedError || error instanceof StoreBusyError)) throw error;
    return { consistent: false, error: error.message } as const;
  }
}
