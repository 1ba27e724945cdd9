import { isoTime, MS_PER_SECOND, periodAt, type Period } from '../../shared/time.ts';
import { receivedAtOf } from '../../shared/ids.ts';
import { mayCost, type Units } from '../../shared/request/operation.ts';
import type { UsageEvent } from '../../shared/request/usage-event.ts';
import { eventKey, oncePerMinuteKey, type ItemKey } from '../../shared/store/items.ts';

/** Request units of a success, by the name of its operation. */
export type OperationUnits = ReadonlyMap<unknown, Units>;

/** The attributes that decide about an event's place in the ledger and in sums. As stored, they may be of any type. */
export const LEDGER_ATTRIBUTES = [
  ...(['pk', 'sk', 'requestId', 'projectId', 'keyId', 'event', 'operation', 'code', 'units'] as const),
  ...(['period', 'occurredAt', 'latencyMs', 'simulated', 'capId', 'cap'] as const),
] as const satisfies readonly (keyof UsageEvent | keyof ItemKey | 'capId' | 'cap')[];
export type LedgerItem = ItemKey &
  Readonly<
    Record<Exclude<(typeof LEDGER_ATTRIBUTES)[number], 'pk' | 'sk' | 'simulated' | 'capId' | 'cap'>, unknown>
  > & {
    readonly simulated?: unknown;
    /** The cap under which it was charged, by one of two names (`capNamed`). Both absent: none. */
    readonly capId?: unknown;
    readonly cap?: unknown;
  };

/**
 * What is wrong with an event that the gateway would not write. `key`: it is stored under another project, time or
 * request, or its request id names another time. So a second charge of a request has this problem, unless the id is of
 * another form than those of the gateway. `period`: its time is in another period. `units`: they do not fit the
 * outcome, or are no number.
 */
export type EventProblem = 'key' | 'period' | 'units';

/** An event that the gateway would not write. */
export interface IrregularEvent {
  readonly sortKey: string;
  readonly problem: EventProblem;
  /** Its actual value; texts are shortened. It comes from the table unchanged: escape it for a terminal. */
  readonly found: string | number;
}

/** Events that the gateway would not write: how many, and some of them. */
export interface IrregularEvents {
  readonly count: number;
  /** The first ten. */
  readonly examples: readonly IrregularEvent[];
}

const MAX_EXAMPLES = 10;
/** The longest text that is shown of an event. */
const MAX_CHARACTERS = 120;

/** Looks for events that the gateway would not write. `result` is undefined when there are none. */
export function ledgerAudit(period: Period, unitsOf: OperationUnits) {
  const examples: IrregularEvent[] = [];
  let count = 0;
  return {
    visit: (item: LedgerItem): void => {
      const problems = problemsOf(item, period, unitsOf);
      count += problems.length;
      examples.push(...problems.slice(0, MAX_EXAMPLES - examples.length));
    },
    result: (): IrregularEvents | undefined => (count === 0 ? undefined : { count, examples }),
  };
}

/** The problems of a single stored event; empty: none. */
const problemsOf = (item: LedgerItem, period: Period, unitsOf: OperationUnits): IrregularEvent[] => [
  ...(hasOwnKey(item) ? [] : [irregular(item, 'key', ownKey(item))]),
  ...(hasRightUnits(item, unitsOf) ? [] : [irregular(item, 'units', item.units)]),
  ...(isInPeriod(item, period) ? [] : [irregular(item, 'period', item.period)]),
];

/** An event with one problem. */
const irregular = ({ sk }: LedgerItem, problem: EventProblem, found: unknown): IrregularEvent => ({
  sortKey: sk.slice(0, 2 * MAX_CHARACTERS),
  problem,
  found: typeof found === 'number' ? found : textOf(found).slice(0, MAX_CHARACTERS),
});

const textOf = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const ownKey = ({ pk, projectId, occurredAt, requestId }: LedgerItem): string =>
  `${projectId === pk ? '' : `${textOf(projectId)} `}${textOf(timeOfId(requestId) ?? occurredAt)}#${textOf(requestId)}`;

/** The time that a request id names; undefined: it is not of the form that names one. */
function timeOfId(requestId: unknown): string | undefined {
  const timeMs = typeof requestId === 'string' ? (receivedAtOf(requestId) ?? NaN) : NaN;
  return Number.isNaN(timeMs) ? undefined : isoTime(timeMs);
}

function hasOwnKey({ pk, sk, ...item }: LedgerItem): boolean {
  const { projectId, occurredAt, requestId } = item;
  if (projectId !== pk || typeof occurredAt !== 'string' || typeof requestId !== 'string') return false;
  if (Number.isNaN(Date.parse(occurredAt)) || isoTime(Date.parse(occurredAt)) !== occurredAt) return false;
  if ((timeOfId(requestId) ?? occurredAt) !== occurredAt) return false;
  const event = item as unknown as UsageEvent;
  // Refusals before admission share a key. They are never charged.
  return sk === eventKey(event).sk || (item.units === 0 && sk === oncePerMinuteKey(event).sk);
}

function hasRightUnits({ event, operation, units }: LedgerItem, unitsOf: OperationUnits): boolean {
  const right = event === 'request_succeeded' ? unitsOf.get(operation) : 0;
  return right === undefined ? isCount(units) : mayCost(right, units);
}

/**
 * Whether an event's period fits its time. Outside of this period, either length is accepted: the setting may have been
 * another.
 */
function isInPeriod({ occurredAt, period: id }: LedgerItem, period: Period): boolean {
  const epochMs = Date.parse(String(occurredAt));
  // An event without a time has a problem with its key already.
  if (Number.isNaN(epochMs)) return true;
  const isWithin = period.startsAtMs <= epochMs && epochMs < period.endsAtEpochSeconds * MS_PER_SECOND;
  return isWithin ? id === period.id : id === periodAt(epochMs, 'month').id || id === periodAt(epochMs, 'day').id;
}

/** Whether a stored value can be a number of units. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
