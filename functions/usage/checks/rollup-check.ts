import type { AccountStore } from '../../accounts/store/account-store.ts';
import { MS_PER_SECOND, type Period } from '../../shared/time.ts';
import { DAY, HOUR, FIVE_MINUTES, type IntervalLength } from '../sums/intervals.ts';
import { agrees } from '../sums/tally-text.ts';
import { addEvent, emptyTally, type UsageTally } from '../sums/tally.ts';
import { countable } from '../sums/counted-events.ts';
import type { LedgerItem } from '../events/irregular-events.ts';
import { removeRollup, rollupPages, startOfRollup, sumOf, timeOf, type StoredRollup } from '../sums/rollup-items.ts';
import { isChargedOnly } from '../sums/rollups.ts';

/** Stored sums of usage that differ from the events: how many, and some of them. */
export interface DifferingRollups {
  readonly count: number;
  /** The first ten, such as `DAY#2026-11-21`. */
  readonly examples: readonly string[];
}

/** Compares a project's stored sums of usage with its events. */
export interface RollupCheck {
  /** Counts each event of the period's time, in the order of their keys. */
  readonly count: (item: LedgerItem) => void;
  /** The sums that differ, after all events were counted; undefined: none. */
  readonly differing: () => DifferingRollups | undefined;
  /** Removes them. */
  readonly remove: () => Promise<void>;
}

const MAX_EXAMPLES = 10;

/** Reads the stored sums of a period. Sums that are stored later are not compared. */
export async function rollupCheck(store: AccountStore, projectId: string, period: Period): Promise<RollupCheck> {
  const lines = await Promise.all([DAY, HOUR, FIVE_MINUTES].map((length) => lineOf(store, projectId, length, period)));
  const differing = () => lines.flatMap((line) => line.differing(store.clock.now()));
  return {
    count: (item) => {
      for (const line of lines) line.count(item);
    },
    differing: () => {
      const found = differing();
      const examples = found.slice(0, MAX_EXAMPLES).map(({ sk }) => sk);
      return found.length === 0 ? undefined : { count: found.length, examples };
    },
    remove: async () => {
      // The longest sums last: while they are there, nobody makes them again of shorter ones.
      for (const rollup of differing().toReversed()) await removeRollup(store, rollup);
    },
  };
}

/** The stored sums of one length, each with the tally of the events counted so far. */
async function lineOf(store: AccountStore, projectId: string, length: IntervalLength, period: Period) {
  const bounds = { sinceMs: period.startsAtMs, untilMs: period.endsAtEpochSeconds * MS_PER_SECOND };
  const kept: { readonly rollup: StoredRollup; readonly startMs: number; readonly counted: UsageTally }[] = [];
  for await (const { items } of rollupPages(store, projectId, { length, ...bounds })) {
    for (const rollup of items) kept.push({ rollup, startMs: startOfRollup(rollup), counted: emptyTally() });
  }
  /** The last interval that begins at the event or before. */
  let place = -1;
  return {
    count: (item: LedgerItem): void => {
      const atMs = timeOf(item.sk);
      for (let next = kept[place + 1]; next && next.startMs <= atMs; next = kept[place + 1]) place++;
      const at = kept[place];
      if (at && item.sk <= at.rollup.upTo) for (const counted of countable(item)) addEvent(at.counted, counted);
    },
    differing: (nowMs: number): StoredRollup[] =>
      kept
        .filter(({ rollup, startMs, counted }) => {
          const tally = sumOf(rollup);
          return !tally || !agrees(tally, counted, !isChargedOnly(startMs, nowMs));
        })
        .map(({ rollup }) => rollup),
  };
}
