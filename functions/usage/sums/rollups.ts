import type { AccountStore } from '../../accounts/store/account-store.ts';
import { isoTime, MS_PER_DAY } from '../../shared/time.ts';
import { FREE_EVENT_RETENTION_DAYS } from '../../shared/request/request-store.ts';
import { startOf, startsOf, type Intervals } from './intervals.ts';
import { addEvent, addTally, emptyTally, type UsageTally } from './tally.ts';
import { countedEvents, type StoredCountedEvent } from './counted-events.ts';
import { endOf, readShorter, startOfRollup, sumOf, timeOf, type Rollup, type StoredRollup } from './rollup-items.ts';

/** If an interval began earlier than this, its first events of 0 units may have expired. */
const FREE_EVENTS_WHOLE_MS = (FREE_EVENT_RETENTION_DAYS - 1) * MS_PER_DAY;

/** The settings of a summing. */
export interface Summing {
  readonly store: AccountStore;
  readonly projectId: string;
  readonly nowMs: number;
  /** Called before each page of events: whether there is time for it. */
  readonly mayGoOn: () => boolean;
  /** Stores a sum. Resolves when another write may begin. */
  readonly keep: (rollup: Rollup) => Promise<void>;
}

/** Whether only charged events of an interval are counted: the others may have expired. */
export const isChargedOnly = (startMs: number, nowMs: number): boolean => startMs < nowMs - FREE_EVENTS_WHOLE_MS;

/**
 * Sums closed intervals from stored sums of shorter ones, and from the events where there are none. Adjacent intervals
 * are read in one query, so any number of them without events takes one query. If the time is over, the next call
 * continues from there.
 *
 * @param begun stored sums of the first events of some of them
 * @param found receives each complete interval, oldest first
 * @returns whether all are complete
 */
export async function sumIntervals(
  summing: Summing,
  intervals: Intervals,
  begun: readonly StoredRollup[],
  found: (startMs: number, tally: UsageTally) => void,
): Promise<boolean> {
  const { store, projectId, nowMs, mayGoOn, keep } = summing;
  const { length, sinceMs, untilMs } = intervals;
  const tallies = openTallies(summing, intervals);
  let startMs = sinceMs;
  /** Everything up to here is counted; never after `untilMs`. */
  let position = isoTime(sinceMs);

  /** Reports each interval that is complete by now. */
  const finish = async (): Promise<void> => {
    for (; endOf({ length, startMs }) <= position; startMs += length.lengthMs) {
      const tally = tallies.at(startMs);
      found(startMs, tally);
      await keep({ length, startMs, tally, upTo: endOf({ length, startMs }) });
    }
  };
  /** Counts the events up to a time. */
  const readUntil = async (endMs: number): Promise<boolean> => {
    if (position === isoTime(endMs)) return true;
    tallies.chargedOnly(timeOf(position), endMs, nowMs);
    const pages = countedEvents(store, projectId, position, endMs);
    while (position !== isoTime(endMs)) {
      if (!mayGoOn()) {
        const tally = tallies.at(startMs);
        if (position > isoTime(startMs)) await keep({ length, startMs, tally, upTo: position });
        return false;
      }
      const page = await pages.next();
      if (page.done === true) break;
      // The first one may have been counted before, as the last one.
      for (const event of page.value.items) if (event.sk > position) tallies.add(event);
      position = page.value.upTo ?? isoTime(endMs);
      await finish();
    }
    return true;
  };

  for (const kept of inOrder([...begun, ...(await readShorter(store, projectId, length, intervals))])) {
    const keptFromMs = startOfRollup(kept);
    // A longer interval includes it already.
    if (isoTime(keptFromMs) < position) continue;
    const tally = sumOf(kept);
    if (!tally) continue;
    if (!(await readUntil(keptFromMs))) return false;
    addTally(tallies.at(startOf(length, keptFromMs)), tally);
    position = kept.upTo < isoTime(untilMs) ? kept.upTo : isoTime(untilMs);
    if (tally.chargedOnly) tallies.chargedOnly(keptFromMs, timeOf(position));
    await finish();
  }
  return readUntil(untilMs);
}

/** Sorted by beginning; of those with the same beginning, the longest first. */
const inOrder = (kept: readonly StoredRollup[]): StoredRollup[] =>
  kept.toSorted((a, b) => startOfRollup(a) - startOfRollup(b) || (a.upTo > b.upTo ? -1 : 1));

/** The tallies of consecutive intervals. */
function openTallies({ nowMs }: Summing, intervals: Intervals) {
  const { length } = intervals;
  const tallies = new Map([...startsOf(intervals)].map((startMs) => [startMs, emptyTally()]));
  const at = (startMs: number): UsageTally => {
    const tally = tallies.get(startMs);
    if (!tally) throw new Error('an interval that is not summed here');
    return tally;
  };
  return {
    at,
    add: (event: StoredCountedEvent): void => {
      const startMs = startOf(length, Date.parse(event.occurredAt));
      // An event that was moved by hand belongs to its own time only.
      const tally = tallies.get(startMs);
      if (tally && (event.units > 0 || !isChargedOnly(startMs, nowMs))) addEvent(tally, event);
    },
    /**
     * Marks intervals that are or were summed when some events may have expired; `asOfMs` is the time of the summing.
     */
    chargedOnly: (fromMs: number, endMs: number, asOfMs = Infinity): void => {
      for (const startMs of startsOf({ length, sinceMs: startOf(length, fromMs), untilMs: endMs })) {
        at(startMs).chargedOnly ||= isChargedOnly(startMs, asOfMs);
      }
    },
  };
}
