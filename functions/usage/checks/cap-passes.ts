import { allFulfilled } from '../../shared/fulfilled.ts';
import {
  capSpanAt,
  capSpanOf,
  firstKeyOf,
  hasMonths,
  isMonthPart,
  monthPart,
  ownPeriodOf,
  type CapPeriod,
  type CapSpan,
} from '../../shared/request/cap-period.ts';
import { MS_PER_DAY, MS_PER_SECOND, periodAt, type Period } from '../../shared/time.ts';
import { RefusedError } from '../../accounts/store/refusals.ts';
import type { AccountStore } from '../../accounts/store/account-store.ts';
import { CAP_UNITS_PREFIX, itemKey, type ItemKey } from '../../shared/store/items.ts';
import { queryItems } from '../../shared/store/client.ts';
import { queryOf } from '../../shared/store/tables.ts';
import type { CounterItem } from '../../shared/store/quota-counter.ts';
import type { Pass } from './difference.ts';
import { isCount, type LedgerItem } from '../events/irregular-events.ts';

/** Counters that are read in parallel. */
const CONCURRENCY = 16;

/** A counter of a cap: that of one of its periods. */
export interface CapPlace {
  readonly capId: string;
  /** The id of the cap's period; of a charge by the version before, that of the quota's. */
  readonly spanId: string;
}

/** A pass over a counter, or over what it holds of the verified month. */
export interface CapPassOver extends Pass, CapPlace {
  /** Units of other months, at the end of the pass. */
  readonly rest: number;
  /** Units that the counter lacks to the sum of its months; below 0: it has more. */
  readonly lacking: number;
}

/** A pass over the caps of a project's keys, beside that over its counter. */
export interface CapPass {
  /** The time whose events must be read. */
  readonly within: Period;
  /** Counts the units of an event. */
  readonly add: (item: LedgerItem, units: number) => void;
  /** The passes over all counters that were there before, or had an event in between, by their sort keys. */
  readonly end: () => Promise<ReadonlyMap<string, CapPassOver>>;
}

interface LedgerOf {
  readonly projectId: string;
  readonly period: Period;
}

/** The counter of a cap as stored. */
export type CapItem = ItemKey & CounterItem & Readonly<Record<string, unknown>>;

/**
 * The counters of caps that a verification of a period compares, as read consistently: those of the period, and of caps
 * with a period of their own those whose period is within it. A week and `once` are compared by their part of its month.
 */
export async function capCountersOf(store: AccountStore, { projectId, period }: LedgerOf): Promise<CapItem[]> {
  const month = periodAt(period.startsAtMs, 'month');
  const sk = (spanId: string): string => itemKey.capUnits(projectId, spanId, '').sk;
  const prefixes = period.id === month.id ? [`${CAP_UNITS_PREFIX}${month.id}`] : [sk(period.id), sk(month.id)];
  const ranges = [
    ...prefixes.map((prefix) => ({ prefix })),
    // The weeks of the month, with all after them, up to `once`: two queries are cheaper than one for each week.
    { since: sk(capSpanAt(month.startsAtMs, '.w', 'month').id), until: `${sk('once')}~` },
  ];
  const { pk } = itemKey.project(projectId);
  const listed = await allFulfilled(
    ranges.map((range) => Array.fromAsync(queryItems<CapItem>(store.client, queryOf(store.tables.gateway, pk, range)))),
  );
  const compared = listed.flat().filter((item) => isCompared(placeOf(item.sk), period));
  return [...new Map(compared.map((item) => [item.sk, item])).values()];
}

/**
 * The units that were charged under each cap in a period, for people. A quota by day has no part of its own in the counter
 * of a longer period, so such a cap is left out.
 */
export async function capUnitsOf(
  store: AccountStore,
  ledger: LedgerOf,
): Promise<{ readonly capId: string; readonly units: number }[]> {
  const sums = new Map<string, number>();
  for (const item of await capCountersOf(store, ledger)) {
    const place = placeOf(item.sk);
    const part = partOf(place, ledger.period);
    if (!place.spanId.startsWith(ledger.period.id) && part !== `m${ledger.period.id}`) continue;
    const units = Number(item[part ?? 'units'] ?? 0);
    if (units > 0) sums.set(place.capId, (sums.get(place.capId) ?? 0) + units);
  }
  return [...sums].map(([capId, units]) => ({ capId, units }));
}

/**
 * Begins a pass: reads the counters of all caps, consistently.
 *
 * A quota by day has no part of its own in the counter of a longer period. Where there is such a counter, the events of
 * the day's whole month are read, and the counters compared by that month.
 *
 * @param readFree reads an item when no transaction holds it
 */
export async function beginCapPass(
  store: AccountStore,
  { projectId, period }: LedgerOf,
  readFree: (key: ItemKey) => Promise<unknown>,
): Promise<CapPass> {
  const before = new Map<string, number>();
  for (const item of await capCountersOf(store, { projectId, period })) {
    before.set(item.sk, figuresOf(item, placeOf(item.sk), period).part);
  }
  const isLonger = [...before.keys()].some((sk) => placeOf(sk).spanId !== period.id);
  const sums = new Map<string, number>();
  const end = async () => {
    const passes = new Map<string, CapPassOver>();
    const all = [...new Set([...before.keys(), ...sums.keys()])];
    for (let at = 0; at < all.length; at += CONCURRENCY) {
      const some = all.slice(at, at + CONCURRENCY).map(async (sk) => {
        const place = placeOf(sk);
        const item = (await readFree({ ...itemKey.project(projectId), sk })) as CapItem | undefined;
        const { part, ...others } = figuresOf(item, place, period);
        passes.set(sk, { ...place, ...others, before: before.get(sk) ?? 0, sum: sums.get(sk) ?? 0, after: part });
      });
      await allFulfilled(some);
    }
    return passes;
  };
  return {
    within: isLonger ? periodAt(period.startsAtMs, 'month') : period,
    add: (item, units) => {
      for (const { spanId, capId } of placesOf(item, period)) {
        const { sk } = itemKey.capUnits(projectId, spanId, capId);
        sums.set(sk, (sums.get(sk) ?? 0) + units);
      }
    },
    end,
  };
}

/** The attribute of a counter with the units of the verified month; undefined: it is compared whole. */
export const partOf = ({ spanId, capId }: CapPlace, period: Period): string | undefined =>
  hasMonths(capId) && spanId !== period.id ? monthPart(period.startsAtMs) : undefined;

/** `KEYUNITS#<period>#<cap>` */
function placeOf(sk: string): CapPlace {
  const [, spanId = '', capId = ''] = sk.split('#');
  return { spanId, capId };
}

/** Where an event counts. A `capId` counts by the event's period, a `cap` by that of its time. */
function placesOf({ capId, cap, period: id, occurredAt }: LedgerItem, period: Period): CapPlace[] {
  const places: CapPlace[] = [];
  if (typeof capId === 'string' && id === period.id) places.push({ spanId: period.id, capId });
  const nowMs = Date.parse(String(occurredAt));
  // An event without a time is reported as irregular.
  if (typeof cap === 'string' && !Number.isNaN(nowMs)) {
    const place = { spanId: capSpanOf(cap, { nowMs, period }).id, capId: cap };
    const part = partOf(place, period);
    if (isCompared(place, period) && (part === undefined || part === monthPart(nowMs))) places.push(place);
  }
  return places;
}

/** Whether a counter is that of the period, or of a period of its own cap that is within it or its month. */
function isCompared({ spanId, capId }: CapPlace, { id }: Period): boolean {
  if (spanId === id) return true;
  if (ownPeriodOf(capId) !== kindOf(spanId)) return false;
  return id.startsWith(spanId) || spanId.startsWith(id) || hasMonths(capId);
}

/** The kind of a period, by the form of its id. */
function kindOf(spanId: string): CapPeriod {
  if (spanId === 'once') return 'once';
  if (spanId.includes('W')) return 'week';
  return spanId.length === 'YYYY-MM'.length ? 'month' : 'day';
}

/** The period of a compared counter. */
export function spanOf({ spanId, capId }: CapPlace, period: Period): CapSpan {
  const spans = spanId === period.id ? [] : spansOf(capId, periodAt(period.startsAtMs, 'month'));
  return spans.find(({ id }) => id === spanId) ?? period;
}

/** The periods of a cap on each day of a month. */
function spansOf(capId: string, { startsAtMs, endsAtEpochSeconds }: Period): CapSpan[] {
  const days = (endsAtEpochSeconds * MS_PER_SECOND - startsAtMs) / MS_PER_DAY;
  return Array.from({ length: days }, (_, day) => capSpanAt(startsAtMs + day * MS_PER_DAY, capId, 'month'));
}

/** What a counter holds of the verified month and of others. */
function figuresOf(item: CapItem | undefined, place: CapPlace, period: Period) {
  const count = (value: unknown): number => {
    if (isCount(value)) return value;
    throw new RefusedError(`The counter of key ${firstKeyOf(place.capId)} holds no number of units.`);
  };
  // A budget has its limit before its first unit.
  const units = count(item?.units ?? (item === undefined || item.limit !== undefined ? 0 : undefined));
  const part = partOf(place, period);
  if (part === undefined) return { part: units, rest: 0, lacking: 0 };
  const months = Object.entries(item ?? {}).filter(([name]) => isMonthPart(name));
  const sum = months.reduce((all, [, value]) => all + count(value), count(item?.before ?? 0));
  const ofMonth = count(item?.[part] ?? 0);
  return { part: ofMonth, rest: units - ofMonth, lacking: sum - units };
}
