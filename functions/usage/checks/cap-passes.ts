import { allFulfilled } from '../../shared/fulfilled.ts';
import type { Period } from '../../shared/time.ts';
import { RefusedError } from '../../accounts/store/refusals.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { itemKey, type ItemKey } from '../../shared/store/items.ts';
import { itemsFrom } from '../../shared/store/tables.ts';
import type { CounterItem } from '../../shared/store/quota-counter.ts';
import type { Pass } from './difference.ts';
import { isCount, type LedgerItem } from '../events/irregular-events.ts';

/** Counters that are read in parallel. */
const CONCURRENCY = 16;

/** A pass over the caps of a project's keys, beside that over its counter. */
export interface CapPass {
  /** Counts the units of an event of the period. */
  readonly add: (item: LedgerItem, units: number) => void;
  /** The pass by the id of each cap that had a counter before, or an event in between. */
  readonly end: () => Promise<ReadonlyMap<string, Pass>>;
}

/**
 * Begins a pass: reads the counters of all caps, consistently.
 *
 * @param readFree reads an item when no transaction holds it
 */
export async function beginCapPass(
  store: AccountStore,
  { projectId, period }: { readonly projectId: string; readonly period: Period },
  readFree: (key: ItemKey) => Promise<unknown>,
): Promise<CapPass> {
  const all = itemKey.capUnits(projectId, period.id, '');
  const before = new Map<string, number>();
  for await (const item of itemsFrom(store, all)) {
    const capId = String(item.sk).slice(all.sk.length);
    before.set(capId, unitsOf(item, capId));
  }
  const sums = new Map<string, number>();
  const end = async () => {
    const passes = new Map<string, Pass>();
    const capIds = [...new Set([...before.keys(), ...sums.keys()])];
    for (let at = 0; at < capIds.length; at += CONCURRENCY) {
      const some = capIds.slice(at, at + CONCURRENCY).map(async (capId) => {
        const item = (await readFree(itemKey.capUnits(projectId, period.id, capId))) ?? { units: 0 };
        const after = unitsOf(item, capId);
        passes.set(capId, { before: before.get(capId) ?? 0, sum: sums.get(capId) ?? 0, after });
      });
      await allFulfilled(some);
    }
    return passes;
  };
  return {
    add: ({ capId }, units) => {
      if (typeof capId === 'string') sums.set(capId, (sums.get(capId) ?? 0) + units);
    },
    end,
  };
}

function unitsOf(item: unknown, capId: string): number {
  const { units } = item as CounterItem;
  if (isCount(units)) return units;
  throw new RefusedError(`The counter of key ${capId} holds no number of units.`);
}
