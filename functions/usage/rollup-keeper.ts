import type { ControlPlane } from '../accounts/control-plane.ts';
import { keepRollup, type Rollup } from './rollup-items.ts';

/** Writes at once. */
const MAX_IN_FLIGHT = 16;

/** Keeps rollups beside the summing. */
export interface RollupKeeper {
  /** Begins to keep one; resolves when there is room for more. */
  readonly keep: (rollup: Rollup) => Promise<void>;
  /** Resolves when all are kept; rejects, to be logged, when one was not: it is then summed again. */
  readonly done: () => Promise<void>;
}

export function rollupKeeper(plane: ControlPlane, projectId: string, usageRetentionDays: number): RollupKeeper {
  const inFlight = new Set<Promise<void>>();
  const failures: unknown[] = [];
  return {
    keep: async (rollup) => {
      const write = keepRollup(plane, projectId, rollup, usageRetentionDays)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => inFlight.delete(write));
      inFlight.add(write);
      if (inFlight.size >= MAX_IN_FLIGHT) await Promise.race(inFlight);
    },
    done: async () => {
      await Promise.all(inFlight);
      if (failures.length > 0) throw failures[0];
    },
  };
}
