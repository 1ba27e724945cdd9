import { StoreBusyError } from '../shared/rules/http/errors.ts';
import type { Period } from '../shared/rules/period.ts';
import { RefusedError } from '../accounts/refusals.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import { listEveryProject, requireProject } from '../accounts/projects/stored-projects.ts';
import { OPERATIONS } from '../gateway/operations/index.ts';
import { closest, judge, type Difference, type Look } from './difference.ts';
import {
  type OperationUnits,
  irregular,
  problemsOf,
  type IrregularEvent,
  type LedgerItem,
} from './irregular-events.ts';
import { lookUntilDecided, observer, type LedgerLook } from './looks.ts';
import { rollupCheck, type DifferingRollups } from './rollup-check.ts';
import { hash } from 'node:crypto';

/** A counter of a key's cap that does not certainly agree with the events under it. */
export interface CapVerification {
  /** The key that first had the cap; those of its rotations share the counter. */
  readonly keyId: string;
  readonly unitsUsed: number;
  readonly ledgerUnits: number;
  readonly difference: Difference;
  readonly undecidedUnits?: number;
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
export interface VerificationOptions {
  /**
   * Whether to read every event of the project, and not only those of the period's time: an event may be stored
   * elsewhere.
   */
  readonly deep?: boolean | undefined;
  /** The units of each operation. For an unknown operation, any number of units is right. */
  readonly unitsOf?: OperationUnits;
  /** Whether to remove stored sums that differ. */
  readonly removesRollups?: boolean | undefined;
}

const UNITS_OF: OperationUnits = new Map(OPERATIONS.map(({ name, units }) => [name, units]));

/** The most passes over one project. A consistent ledger under load needs two, or a few more. */
const MAX_LOOKS = 16;

/**
 * Compares the quota counter of a period with the sum of its events, and checks every event and the stored sums of the
 * period's usage. It writes nothing, unless differing sums shall be removed. It may run while requests are charged, see
 * {@link judge}. Throws `RefusedError` for an unknown project, and for a counter without a number.
 */
export async function verifyLedger(
  store: AccountStore,
  projectId: string,
  period: Period,
  { deep = false, unitsOf = UNITS_OF, removesRollups = false }: VerificationOptions = {},
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
  await lookUntilDecided(store, looks, MAX_LOOKS, () => look(() => undefined), isUndecided);
  const differingRollups = rollups.differing();
  if (removesRollups) await rollups.remove();
  return { ...verification(looks, audit.result()), ...(differingRollups && { differingRollups }) };
}

function verification(looks: readonly LedgerLook[], irregularEvents: IrregularEvents | undefined): LedgerVerification {
  const { used, ledgerUnits, ...different } = verified(looks);
  const keys = looksOfCaps(looks).flatMap(([keyId, ofCap]) => {
    const { used: unitsUsed, ledgerUnits: units, difference, ...more } = verified(ofCap);
    return difference ? [{ keyId, unitsUsed, ledgerUnits: units, difference, ...more }] : [];
  });
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
function verified(looks: readonly Look[]) {
  const { verdict, difference } = judge(looks);
  const { sum, after } = closest(looks);
  return {
    used: after,
    ledgerUnits: sum,
    ...(verdict !== 'balanced' && { difference }),
    ...(verdict === 'undecided' && { undecidedUnits: difference.atMost - difference.atLeast }),
  };
}

/** The passes over the caps, by cap. A pass omits a cap that had neither a counter nor an event at that time. */
const looksOfCaps = (looks: readonly LedgerLook[]): [string, Look[]][] =>
  [
    ...Map.groupBy(
      looks.flatMap(({ caps }) => [...caps]),
      ([capId]) => capId,
    ),
  ].map(([capId, some]) => [capId, some.map(([, look]) => look)]);

const isUndecided = (looks: readonly LedgerLook[]): boolean =>
  [looks, ...looksOfCaps(looks).map(([, ofCap]) => ofCap)].some((each) => judge(each).verdict === 'undecided');

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

/** Events that the gateway would not write: how many, and some of them. */
interface IrregularEvents {
  readonly count: number;
  /** The first ten. */
  readonly examples: readonly IrregularEvent[];
}

/** Receives the events of a project, in one pass and, if needed, in a second one. */
interface LedgerAudit {
  readonly first: (item: LedgerItem) => void;
  readonly second: (item: LedgerItem) => void;
  /** Whether some requests may have been charged twice. A second pass decides that. */
  readonly needsSecond: () => boolean;
  /** Undefined: there are none. */
  readonly result: () => IrregularEvents | undefined;
}

const MAX_EXAMPLES = 10;

/** Looks for events that the gateway would not write, in bounded memory. */
export function ledgerAudit(period: Period, unitsOf: OperationUnits): LedgerAudit {
  const requests = repeatedRequests();
  /** The only event so far of a request; undefined: it was reported. */
  const onlyOf = new Map<string, LedgerItem | undefined>();
  const examples: IrregularEvent[] = [];
  let count = 0;
  const tell = (event: IrregularEvent): void => {
    count++;
    if (examples.length < MAX_EXAMPLES) examples.push(event);
  };
  return {
    first: (item) => {
      problemsOf(item, period, unitsOf).forEach(tell);
      if (isCharged(item)) requests.note(item.requestId);
    },
    needsSecond: () => requests.candidates.size > 0,
    second: (item) => {
      if (!isCharged(item) || !requests.candidates.has(item.requestId)) return;
      if (!onlyOf.has(item.requestId)) {
        onlyOf.set(item.requestId, item);
        return;
      }
      const other = onlyOf.get(item.requestId);
      onlyOf.set(item.requestId, undefined);
      for (const event of [other, item]) if (event) tell(irregular(event, 'repeated', item.requestId));
    },
    result: () => (count === 0 ? undefined : { count, examples }),
  };
}

/** Only charged events are compared by their request: the others have 0 units. */
const isCharged = (item: LedgerItem): item is LedgerItem & { readonly requestId: string } =>
  item.units !== 0 && typeof item.requestId === 'string';

/** Finds the requests with several events, for any number of events, in bounded memory. */
interface RepeatedRequests {
  /** Takes an event's request id. */
  note(requestId: string): void;
  /** The ids that were noted more than once. With very many ids there are a few more: they have to be counted. */
  readonly candidates: ReadonlySet<string>;
}

/** Ids that are stored exactly, some 2 MB. */
const MAX_EXACT = 10_000;
/**
 * The most candidates. Some ids are candidates by chance: with a million ids in one of a hundred runs, with ten million
 * some 700.
 */
const MAX_CANDIDATES = 10_000;

export function repeatedRequests(): RepeatedRequests {
  const candidates = new Set<string>();
  const exact = new Set<string>();
  let isKnown = (requestId: string): boolean => {
    if (exact.has(requestId)) return true;
    exact.add(requestId);
    if (exact.size === MAX_EXACT) {
      isKnown = bloomFilter();
      for (const each of exact) isKnown(each);
    }
    return false;
  };
  return {
    candidates,
    note: (requestId) => {
      if (isKnown(requestId) && candidates.size < MAX_CANDIDATES) candidates.add(requestId);
    },
  };
}

/** 32 MiB. */
const BITS = 2 ** 28;
const BITS_PER_WORD = 32;
const PLACES = 4;

/** Adds a text, and returns whether it may have been added before; certainly true if it was (Bloom, 1970). */
function bloomFilter(): (text: string) => boolean {
  const words = new Uint32Array(BITS / BITS_PER_WORD);
  return (text) => {
    let isKnown = true;
    const digest = hash('sha256', text, 'buffer');
    for (let place = 0; place < PLACES; place++) {
      const bit = digest.readUInt32LE(4 * place) % BITS;
      const word = Math.floor(bit / BITS_PER_WORD);
      // A shift uses only the low bits of its operand.
      const mask = 1 << bit;
      if (((words[word] ?? 0) & mask) === 0) isKnown = false;
      words[word] = (words[word] ?? 0) | mask;
    }
    return isKnown;
  };
}
