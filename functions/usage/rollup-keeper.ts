import type { AccountStore } from '../accounts/account-store.ts';
import { isoTime } from '../shared/rules/clock.ts';
import { endOf, keepRollup, type Rollup } from './rollup-items.ts';

/** Parallel writes. */
const MAX_IN_FLIGHT = 16;

/** Stores rollups while the summing continues. */
export interface RollupKeeper {
  /** Begins to store one. Resolves when another write may begin. Adjacent intervals without events are merged. */
  readonly keep: (rollup: Rollup) => Promise<void>;
  /** Resolves when all are stored. Rejects, to be logged, if one was not: it is then summed again. */
  readonly done: () => Promise<void>;
}

export function rollupKeeper(store: AccountStore, projectId: string, usageRetentionDays: number): RollupKeeper {
  const inFlight = new Set<Promise<void>>();
  const failures: unknown[] = [];
  /** The last interval without events; the next one may be merged with it. */
  let quiet: Rollup | undefined;
  const write = async (rollup: Rollup | undefined): Promise<void> => {
    if (!rollup) return;
    const writing = keepRollup(store, projectId, rollup, usageRetentionDays)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => inFlight.delete(writing));
    inFlight.add(writing);
    if (inFlight.size >= MAX_IN_FLIGHT) await Promise.race(inFlight);
  };
  return {
    keep: async (rollup) => {
      const before = quiet;
      quiet = isQuiet(rollup) ? rollup : undefined;
      if (before && quiet && joins(before, quiet)) {
        quiet = { ...before, upTo: quiet.upTo };
        return;
      }
      await write(before);
      if (!quiet) await write(rollup);
    },
    done: async () => {
      await write(quiet);
      await Promise.all(inFlight);
      if (failures.length > 0) throw failures[0];
    },
  };
}

/** Whether a sum is complete and the interval has no events. */
const isQuiet = (rollup: Rollup): boolean => rollup.tally.keys.size === 0 && rollup.upTo === endOf(rollup);

const joins = (before: Rollup, after: Rollup): boolean =>
  before.length === after.length &&
  before.upTo === isoTime(after.startMs) &&
  before.tally.chargedOnly === after.tally.chargedOnly;
