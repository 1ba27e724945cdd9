/**
 * How the quota of a hot project is counted in several items, and stays exact.
 *
 * An item takes part in one transaction at a time. So a counter of one item settles one request after another. A
 * project may have shards: the counter lends them what is left of the limit, and a charge takes from one shard.
 *
 * - `counter.units` counts lent units as used. So `used = units - Σ left`, at every moment. The counter itself is
 *   charged only while nothing is lent. Otherwise a request that read another limit would charge units that are lent
 *   already.
 * - Units move between the items only by one transaction that writes all of them, a *layout*, on condition that each is
 *   as it was read. A layout charges its own request and lends the rest evenly. A request makes a layout in three
 *   cases: it is the first of a period, the limit or the number of shards has changed, or no single shard has enough
 *   units left. So there is no state between two layouts, nothing to repair after a crash, and every unit can be
 *   reached.
 * - A layout has a generation, which is in each of its items. A charge of a shard requires the generation that it read,
 *   so nothing is charged under another limit. A changed limit is valid for the next request through the project's item
 *   alone.
 * - Within a generation `units` only rises and `left` only falls. So items of one generation, read one after another,
 *   show at least as many units left as there are at the end of the reading: if they show too few, there are too few.
 *   Where the generations differ, a layout was made meanwhile, and all items are read in one transaction.
 */

import type { CapSpan } from './cap-period.ts';

/** The most shards of a project: they are read for one read unit, and written in one transaction. */
export const MAX_SHARDS = 32;

/** The counter of a project and period, with its shards. */
export interface QuotaCounter {
  /** Units used or lent. */
  readonly units: number;
  /** Absent: there never were shards. */
  readonly layout?: QuotaLayout;
  readonly shards: readonly QuotaShard[];
}

/** The present layout: how units were lent. */
export interface QuotaLayout {
  readonly generation: number;
  /** 1: nothing is lent. */
  readonly shards: number;
  /** The limit of the layout; undefined: none is enforced. */
  readonly limit: number | undefined;
}

/** One shard. */
export interface QuotaShard {
  readonly index: number;
  /** Units lent and not used. Below 0 where no limit is enforced and nothing was lent. */
  readonly left: number;
  readonly generation: number;
}

/** A key's own limit, within its project's quota. */
export interface KeyCap {
  /**
   * Names its counter, with its period (`cap-period.ts`). It is the same for all keys of a chain of rotations, and of a
   * budget, which share the cap.
   */
  readonly id: string;
  /** Request units per period of the cap. */
  readonly limit: number;
}

/** The counter of a cap as read. */
export interface CapCounter {
  /** Which counter it is: that of this cap, in this period. */
  readonly id: string;
  readonly span: CapSpan;
  readonly units: number;
  /** The limit of a budget, which is that of all its keys; undefined: each key has its own. */
  readonly sharedLimit: number | undefined;
  /** The part of the oldest month that it holds; undefined: it has none. */
  readonly oldestPart: string | undefined;
}

/** A key's cap with its counter. `limit` is that which holds. */
export type CountedCap = KeyCap & CapCounter;

export const countedCap = (cap: KeyCap, counter: CapCounter): CountedCap => ({
  ...cap,
  ...counter,
  limit: counter.sharedLimit ?? cap.limit,
});

/** A project's quota as read, and the key's cap if it has one. */
export interface Quota {
  /** Request units per period; undefined: not enforced. */
  readonly quotaLimit: number | undefined;
  /** The configured number of shards; 1: none. */
  readonly shards: number;
  readonly counter: QuotaCounter;
  readonly cap?: CountedCap;
}

/** Whether a request costs more units than are left. An undefined limit is not enforced. */
export const exceedsQuota = (limit: number | undefined, used: number, units: number): boolean =>
  limit !== undefined && used + units > limit;

/** The limit that refuses: the project's quota, or the key's own cap. */
export type ExhaustedLimit = 'project' | 'key';

/** The limit that refuses a charge, by the read state of both. The project's if both do. Undefined: neither. */
export function exhaustedLimit({ quotaLimit, counter, cap }: Quota, cost: number): ExhaustedLimit | undefined {
  if (exceedsQuota(quotaLimit, unitsUsed(counter), cost)) return 'project';
  return cap && exceedsQuota(cap.limit, cap.units, cost) ? 'key' : undefined;
}

/**
 * Units used. A shard of another layout holds nothing of this one: a copy in another region may lack the end of single
 * items. What is used then follows from the events (`usage/checks/repair.ts`).
 */
export const unitsUsed = ({ units, layout, shards }: QuotaCounter): number =>
  shards.reduce((used, { left, generation }) => (generation === layout?.generation ? used - left : used), units);

/** Whether a counter has to be read with its shards. */
export const isSharded = (shards: number, layout: QuotaLayout | undefined): boolean =>
  shards > 1 || shardsOf(layout) > 0;

/** Whether items that were read one after another belong to one layout. Then {@link unitsUsed} is right. */
export const isOneLayout = ({ layout, shards }: QuotaCounter): boolean =>
  shards.length >= shardsOf(layout) && shards.every(({ generation }) => generation === layout?.generation);

/** The number of shards with lent units. There may be more items, which hold nothing. */
const shardsOf = (layout: QuotaLayout | undefined): number =>
  layout === undefined || layout.shards === 1 ? 0 : layout.shards;

/** What a charge writes to the project's counter. `counter`: only its units. `nothing`: a limit refuses the charge. */
export type ChargeStep =
  | { readonly on: 'counter' }
  | { readonly on: 'nothing'; readonly by: ExhaustedLimit }
  | { readonly on: 'shard'; readonly shard: QuotaShard }
  /** `to`: every item after the charge. */
  | { readonly on: 'all'; readonly to: QuotaCounter & { readonly layout: QuotaLayout } };

/**
 * Decides where a charge is made: on a random shard that has enough left, preferably one that is not `busy`.
 *
 * @param random uniform in [0, 1)
 */
export function chargeStep(quota: Quota, cost: number, busy: ReadonlySet<number>, random: () => number): ChargeStep {
  const { quotaLimit, shards, counter } = quota;
  const { layout } = counter;
  const by = exhaustedLimit(quota, cost);
  if (by) return { on: 'nothing', by };
  if (!isSharded(shards, layout)) return { on: 'counter' };
  const isWanted = layout?.shards === shards && layout.limit === quotaLimit && isOneLayout(counter);
  const able = counter.shards.filter(
    ({ index, left }) => isWanted && index < shards && (quotaLimit === undefined || left >= cost),
  );
  const free = able.filter(({ index }) => !busy.has(index));
  const choice = free.length > 0 ? free : able;
  const shard = choice[Math.floor(random() * choice.length)];
  return shard ? { on: 'shard', shard } : { on: 'all', to: newLayout({ quotaLimit, shards, counter }, cost) };
}

/** The counter after a charge, with the rest lent evenly. */
function newLayout({ quotaLimit, shards, counter }: Quota, cost: number) {
  const used = unitsUsed(counter) + cost;
  const lent = quotaLimit === undefined || shards === 1 ? 0 : quotaLimit - used;
  const known = [counter.layout?.generation ?? 0, ...counter.shards.map(({ generation }) => generation)];
  const generation = 1 + Math.max(...known);
  // Surplus shards are written too: nobody charges them any more.
  const count = Math.max(shards, ...counter.shards.map(({ index }) => index + 1));
  const shareOf = (index: number): number =>
    index < shards ? Math.floor(lent / shards) + Number(index < lent % shards) : 0;
  return {
    units: used + lent,
    layout: { generation, shards, limit: quotaLimit },
    shards: Array.from({ length: count }, (_, index) => ({ index, left: shareOf(index), generation })),
  };
}
