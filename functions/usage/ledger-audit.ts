import type { Period } from '../shared/rules/period.ts';
import {
  irregular,
  problemsOf,
  type IrregularEvent,
  type LedgerItem,
  type OperationUnits,
} from './irregular-events.ts';
import { repeatedRequests } from './repeated-requests.ts';

/** Events that the gateway would not write: how many, and some of them. */
export interface IrregularEvents {
  readonly count: number;
  /** The first ten. */
  readonly examples: readonly IrregularEvent[];
}

/** Receives the events of a project, in one pass and, if needed, in a second one. */
export interface LedgerAudit {
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
