import { RefusedError } from '../../accounts/store/refusals.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { isoTime, MS_PER_DAY, MS_PER_MINUTE, MS_PER_SECOND, type Period } from '../../shared/time.ts';
import { StoreBusyError } from '../../shared/http/errors.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import type { StatementRow } from '../sums/statement.ts';
import type { UsageSeries } from '../sums/buckets.ts';
import {
  DAY,
  HOUR,
  FIVE_MINUTES,
  startOf,
  startsOf,
  type Bounds,
  type IntervalLength,
  type Intervals,
} from '../sums/intervals.ts';
import { figuresByKey, type KeyFigures, type OutcomeCount } from '../sums/tally.ts';
import { countedEvents } from '../sums/counted-events.ts';
import { closest, judge, type Difference, type Pass } from './difference.ts';
import { counterPasses, passUntilDecided, TooManyEvents, UncountableError } from './passes.ts';
import { readSeries } from '../sums/usage-series.ts';

/** A question about the books of a project. */
export interface ReconciliationQuestion {
  readonly projectId: string;
  /** It has begun, and its events are kept (`isKeptWhole`). */
  readonly period: Period;
  /** The time of the question: which intervals are closed by it is decided once. */
  readonly nowMs: number;
  readonly usageRetentionDays: number;
}

/** The comparison of a period's counter and events. */
export interface Reconciliation {
  /** `counting`: sums are missing, or the charges are too many for a decision. */
  readonly state: 'balanced' | 'different' | 'counting';
  /** Units on the quota counter; null: none were read, or it holds no number. */
  readonly counter: number | null;
  /** Sum of the units of the period's events; null: they are not summed yet, or too many came in the last minutes. */
  readonly events: number | null;
  /** Bounds of the events minus the counter, where they differ. */
  readonly difference: Difference | null;
  /** Days or hours that are not summed yet. The next check continues. */
  readonly remaining: number;
  /** The length of a row: days of a month, hours of a day. */
  readonly by: IntervalLength;
  /** Empty where `events` is null. Their units are `events`. */
  readonly rows: readonly StatementRow[];
  /** What each key was used for, most units first; their units are `events`. Empty where that is null. */
  readonly keys: readonly KeyFigures[];
}

/** The most passes of one check. */
const MAX_PASSES = 3;
/** The most pages of 1 MB that the passes read of the last minutes: at most 128 read units each. */
const MAX_PAGES = 5;
/**
 * An event is written at most 100 s after its time (`usage/sums/intervals.ts`). Older ones are read for
 * all passes.
 */
const SETTLED_AFTER_MS = 2 * MS_PER_MINUTE;

/**
 * Compares the counter of a period with its events, by the rule of {@link judge}, without reading all events again:
 * closed intervals come from stored sums, which are final. Only the events of the last minutes are read, in up to three
 * passes. Further passes read only the events of the time in which more may still be written.
 *
 * A difference is certain as far as the stored sums are right. `ledger verify` reads every event, and names wrong
 * sums.
 * @returns the result, and `storing`: the writes of new sums, which still run
 */
export async function reconcile(
  store: AccountStore,
  question: ReconciliationQuestion,
): Promise<{ readonly books: Reconciliation; readonly storing: Promise<void> }> {
  const { projectId, period, nowMs, usageRetentionDays } = question;
  const endMs = period.endsAtEpochSeconds * MS_PER_SECOND;
  const by = endMs - period.startsAtMs > MS_PER_DAY ? DAY : HOUR;
  const within = (epochMs: number): number => Math.min(endMs, Math.max(period.startsAtMs, epochMs));
  const closedMs = within(startOf(FIVE_MINUTES, nowMs - FIVE_MINUTES.closesAfterMs));
  const span = { sinceMs: period.startsAtMs, untilMs: closedMs };
  const { series, storing } = await readSeries(store, {
    projectId,
    span,
    by,
    nowMs,
    usageRetentionDays,
    isCheap: true,
  });
  const { remaining } = series;
  const known = { counter: null, events: null, difference: null, remaining, by, rows: [], keys: [] };
  if (!series.complete) return { books: { ...known, state: 'counting' }, storing };

  const open = { closedMs, settledMs: within(Math.max(closedMs, nowMs - SETTLED_AFTER_MS)), endMs };
  const passing = { store, projectId, period, by, closedUnits: series.total.units, open };
  let passes = await makePasses(passing, false);
  // Events seem to be missing. Before the answer, the settled ones are read consistently, too.
  if (passes.state === 'different' && passes.difference.atMost < 0) passes = await makePasses(passing, true);
  const { state, difference, best } = passes;
  if (!best) return { books: { ...known, state }, storing };
  const intervals = { length: by, sinceMs: period.startsAtMs, untilMs: within(nowMs) };
  const books: Reconciliation = {
    ...known,
    state,
    counter: best.after,
    events: best.sum,
    difference: state === 'different' ? difference : null,
    rows: rowsOf(series, best.rows, intervals),
    keys: keysOf(series, best.rows),
  };
  return { books, storing };
}

interface Passing {
  readonly store: AccountStore;
  readonly projectId: string;
  readonly period: Period;
  readonly by: IntervalLength;
  /** Units of all events before `closedMs`. */
  readonly closedUnits: number;
  /** Up to `settledMs` no event can be written any more. */
  readonly open: { readonly closedMs: number; readonly settledMs: number; readonly endMs: number };
}
/** A pass with the events that it read, which it counted by row. */
type CountedPass = Pass & { readonly rows: readonly Counted[] };

/** Makes passes until the result is certain. */
async function makePasses({ store, projectId, period, by, closedUnits, open }: Passing, isConsistent: boolean) {
  const { closedMs, settledMs, endMs } = open;
  const pages = { left: MAX_PAGES };
  const count = (bounds: Bounds, ConsistentRead: boolean): Promise<Counted> =>
    countEvents({ store, projectId, by, pages, ConsistentRead }, bounds);
  let settled: Promise<Counted> | undefined;
  const passOver = counterPasses(store, { projectId, period });
  const passes: CountedPass[] = [];
  let isUncountable = false;
  try {
    await passUntilDecided(store, passes, MAX_PASSES, async () => {
      let rows: readonly Counted[] = [];
      const pass = await passOver(async () => {
        settled ??= count({ sinceMs: closedMs, untilMs: settledMs }, isConsistent);
        rows = await allFulfilled([settled, count({ sinceMs: settledMs, untilMs: endMs }, true)]);
        return closedUnits + unitsOf(rows);
      });
      return { ...pass, rows };
    });
  } catch (error) {
    isUncountable = error instanceof UncountableError;
    // The charges are too many: the passes so far decide.
    const isBusy = error instanceof StoreBusyError || error instanceof RefusedError || error instanceof TooManyEvents;
    if (!isBusy) throw error;
  }
  const { verdict, difference } = judge(passes);
  const state = isUncountable ? 'different' : verdict === 'undecided' ? 'counting' : verdict;
  return { state, difference, best: isUncountable || passes.length === 0 ? undefined : closest(passes) } as const;
}

/** Requests and units by the beginning of their row, and by key. */
interface Counted {
  readonly rows: ReadonlyMap<number, OutcomeCount>;
  readonly keys: ReadonlyMap<string, OutcomeCount>;
}

interface Counting {
  readonly store: AccountStore;
  readonly projectId: string;
  readonly by: IntervalLength;
  readonly pages: { left: number };
  readonly ConsistentRead: boolean;
}

async function countEvents(
  { store, projectId, by, pages, ConsistentRead }: Counting,
  { sinceMs, untilMs }: Bounds,
): Promise<Counted> {
  const [rows, keys] = [new Map<number, OutcomeCount>(), new Map<string, OutcomeCount>()];
  if (sinceMs >= untilMs) return { rows, keys };
  const events = countedEvents(store, projectId, isoTime(sinceMs), untilMs, ConsistentRead);
  for await (const { items, upTo } of events) {
    for (const { sk, keyId, units } of items) {
      // The time in its key decides whether it is in the span.
      const startMs = startOf(by, Date.parse(sk.slice(0, sk.indexOf('#'))));
      add(rows, startMs, { requests: 1, units });
      add(keys, keyId, { requests: 1, units });
    }
    if (--pages.left <= 0 && upTo !== undefined) throw new TooManyEvents();
  }
  return { rows, keys };
}

function add<Name>(sums: Map<Name, OutcomeCount>, name: Name, { requests, units }: Readonly<OutcomeCount>): void {
  const sum = sums.get(name);
  sums.set(name, { requests: (sum?.requests ?? 0) + requests, units: (sum?.units ?? 0) + units });
}

function keysOf(series: UsageSeries, open: readonly Counted[]): KeyFigures[] {
  const sums = new Map<string, OutcomeCount>();
  for (const { keyId, ...counted } of series.keys) add(sums, keyId, counted);
  for (const [keyId, counted] of open.flatMap(({ keys }) => [...keys])) add(sums, keyId, counted);
  return figuresByKey({ keys: new Map([...sums].map(([keyId, sum]) => [keyId, new Map([['', sum]])])) });
}

const unitsOf = (sums: readonly Counted[]): number =>
  sums.flatMap(({ rows }) => [...rows.values()]).reduce((sum, { units }) => sum + units, 0);

/** Every row up to now, and those after it that have an event: clocks of instances differ. */
function rowsOf(series: UsageSeries, open: readonly Counted[], intervals: Intervals): StatementRow[] {
  const closed = new Map(series.buckets.map((bucket) => [Date.parse(bucket.start), bucket]));
  const starts = new Set([...startsOf(intervals), ...open.flatMap(({ rows }) => [...rows.keys()])]);
  return [...starts]
    .sort((a, b) => a - b)
    .map((startMs) => {
      const { units = 0, requests = 0, chargedOnly = false } = closed.get(startMs) ?? {};
      const added = open.flatMap(({ rows }) => rows.get(startMs) ?? []);
      return {
        startMs,
        units: added.reduce((sum, row) => sum + row.units, units),
        requests: chargedOnly ? null : added.reduce((sum, row) => sum + row.requests, requests),
      };
    });
}
