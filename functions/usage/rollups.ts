import type { AccountStore } from '../accounts/account-store.ts';
import { isoTime, MS_PER_DAY } from '../core/clock.ts';
import { startOf, startsOf, type Stretches } from '../core/usage-stretches.ts';
import { addEvent, addTally, emptyTally, type UsageTally } from '../core/usage-tally.ts';
import { countedEvents, type StoredCountedEvent } from './counted-events.ts';
import { endOf, readShorter, startOfRollup, sumOf, timeOf, type Rollup, type StoredRollup } from './rollup-items.ts';

/** Events of 0 units are kept for 30 days: of a stretch that began by then earlier, the first ones may be gone. */
const FREE_EVENTS_WHOLE_MS = 29 * MS_PER_DAY;

/** What is summed, and how far. */
export interface Summing {
  readonly store: AccountStore;
  readonly projectId: string;
  readonly nowMs: number;
  /** Asked before each page of events: whether there is time for it. */
  readonly mayGoOn: () => boolean;
  /** Keeps what was summed; resolves when there is room for more. */
  readonly keep: (rollup: Rollup) => Promise<void>;
}

/** Whether of a stretch only what was charged is counted: its other events may be gone. */
export const isChargedOnly = (startMs: number, nowMs: number): boolean => startMs < nowMs - FREE_EVENTS_WHOLE_MS;

/**
 * Sums closed stretches from what is kept of shorter ones, and from the events where nothing is. Those that follow each
 * other are read in one go, so that any number of them without events takes one query. What is left when there is no time
 * for more goes on from there the next time.
 *
 * @param begun what is kept of the first events of some of them
 * @param found is given each stretch that is summed whole, oldest first
 * @returns whether all are
 */
export async function sumStretches(
  summing: Summing,
  stretches: Stretches,
  begun: readonly StoredRollup[],
  found: (startMs: number, tally: UsageTally) => void,
): Promise<boolean> {
  const { store, projectId, nowMs, mayGoOn, keep } = summing;
  const { length, sinceMs, untilMs } = stretches;
  const tallies = openTallies(summing, stretches);
  let startMs = sinceMs;
  /** Up to where everything is counted; never behind `untilMs`. */
  let position = isoTime(sinceMs);

  /** Hands on each stretch of which everything is counted by now. */
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
      // The first one may be the last that was counted before.
      for (const event of page.value.items) if (event.sk > position) tallies.add(event);
      position = page.value.upTo ?? isoTime(endMs);
      await finish();
    }
    return true;
  };

  for (const kept of inOrder([...begun, ...(await readShorter(store, projectId, length, stretches))])) {
    const keptFromMs = startOfRollup(kept);
    // A longer one has it already.
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

/** By their beginnings, and of those that begin together the one first that reaches furthest. */
const inOrder = (kept: readonly StoredRollup[]): StoredRollup[] =>
  kept.toSorted((a, b) => startOfRollup(a) - startOfRollup(b) || (a.upTo > b.upTo ? -1 : 1));

/** The tallies of consecutive stretches. */
function openTallies({ nowMs }: Summing, stretches: Stretches) {
  const { length } = stretches;
  const tallies = new Map([...startsOf(stretches)].map((startMs) => [startMs, emptyTally()]));
  const at = (startMs: number): UsageTally => {
    const tally = tallies.get(startMs);
    if (!tally) throw new Error('a stretch that is not summed here');
    return tally;
  };
  return {
    at,
    add: (event: StoredCountedEvent): void => {
      const startMs = startOf(length, Date.parse(event.occurredAt));
      // One that was moved by hand has its own time only.
      const tally = tallies.get(startMs);
      if (tally && (event.units > 0 || !isChargedOnly(startMs, nowMs))) addEvent(tally, event);
    },
    /** Notes what is summed, or was, when some events of it may be gone; with `asOfMs` where that is so then. */
    chargedOnly: (fromMs: number, endMs: number, asOfMs = Infinity): void => {
      for (const startMs of startsOf({ length, sinceMs: startOf(length, fromMs), untilMs: endMs })) {
        at(startMs).chargedOnly ||= isChargedOnly(startMs, asOfMs);
      }
    },
  };
}
