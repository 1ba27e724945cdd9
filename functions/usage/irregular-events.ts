import { isoTime, MS_PER_SECOND } from '../core/clock.ts';
import { periodAt, type Period } from '../core/period.ts';
import type { UsageEvent } from '../core/usage-event.ts';
import { eventKey, oncePerMinuteKey, type ItemKey } from '../store/items.ts';

/** Request units of a first success, by the name of its operation. */
export type OperationUnits = ReadonlyMap<unknown, number>;

/** The attributes of a usage event that its place in the ledger and in sums follows from, as they are stored: anything. */
export const LEDGER_ATTRIBUTES = [
  ...(['pk', 'sk', 'requestId', 'projectId', 'keyId', 'event', 'operation', 'code', 'units'] as const),
  ...(['period', 'occurredAt', 'latencyMs'] as const),
] as const satisfies readonly (keyof UsageEvent | keyof ItemKey)[];
export type LedgerItem = ItemKey & Readonly<Record<Exclude<(typeof LEDGER_ATTRIBUTES)[number], 'pk' | 'sk'>, unknown>>;

/**
 * What is wrong with an event that the gateway did not write so. `key`: it is stored under another project, time or
 * request than its own. `period`: its time is in another period. `units`: the outcome has others, or they are no number.
 * `repeated`: its request is charged by several events.
 */
export type EventProblem = 'key' | 'period' | 'units' | 'repeated';

/** An event that the gateway did not write so. */
export interface IrregularEvent {
  readonly sortKey: string;
  readonly problem: EventProblem;
  /** What it holds instead; texts are cut. Comes from the table as it is: escape it for a terminal. */
  readonly found: string | number;
}

/** Longest text that is told of an event. */
const MAX_CHARACTERS = 120;

/** What is wrong with a stored event by itself; empty: nothing. */
export function problemsOf(item: LedgerItem, period: Period, unitsOf: OperationUnits): IrregularEvent[] {
  const found = [
    ...(hasOwnKey(item) ? [] : [irregular(item, 'key', ownKey(item))]),
    ...(hasRightUnits(item, unitsOf) ? [] : [irregular(item, 'units', item.units)]),
    ...(isInPeriod(item, period) ? [] : [irregular(item, 'period', item.period)]),
  ];
  return found;
}

/** An event with one problem. */
export const irregular = ({ sk }: LedgerItem, problem: EventProblem, found: unknown): IrregularEvent => ({
  sortKey: sk.slice(0, 2 * MAX_CHARACTERS),
  problem,
  found: typeof found === 'number' ? found : textOf(found).slice(0, MAX_CHARACTERS),
});

const textOf = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

const ownKey = ({ pk, projectId, occurredAt, requestId }: LedgerItem): string =>
  `${projectId === pk ? '' : `${textOf(projectId)} `}${textOf(occurredAt)}#${textOf(requestId)}`;

function hasOwnKey({ pk, sk, ...item }: LedgerItem): boolean {
  const { projectId, occurredAt, requestId } = item;
  if (projectId !== pk || typeof occurredAt !== 'string' || typeof requestId !== 'string') return false;
  if (Number.isNaN(Date.parse(occurredAt)) || isoTime(Date.parse(occurredAt)) !== occurredAt) return false;
  const event = item as unknown as UsageEvent;
  // Refusals before admission share a key; they are never charged.
  return sk === eventKey(event).sk || (item.units === 0 && sk === oncePerMinuteKey(event).sk);
}

function hasRightUnits({ event, operation, units }: LedgerItem, unitsOf: OperationUnits): boolean {
  const right = event === 'request_succeeded' ? unitsOf.get(operation) : 0;
  return right === undefined ? isCount(units) : units === right;
}

/** The period of an event's time. Elsewhere than in this period one of either length: the setting may have been another. */
function isInPeriod({ occurredAt, period: id }: LedgerItem, period: Period): boolean {
  const epochMs = Date.parse(String(occurredAt));
  // That it has no time is told of its key.
  if (Number.isNaN(epochMs)) return true;
  const isWithin = period.startsAtMs <= epochMs && epochMs < period.endsAtEpochSeconds * MS_PER_SECOND;
  return isWithin ? id === period.id : id === periodAt(epochMs, 'month').id || id === periodAt(epochMs, 'day').id;
}

/** Whether a stored value can be a number of units. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
