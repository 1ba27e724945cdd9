import type { Key } from '../api/schemas.ts';
import { counted, formatCount } from '../text/format.ts';
import { periodEnd } from '../text/quota.ts';
import { inWords, isActive } from './key-view.ts';

/** How often a cap begins again. */
export type CapPeriod = NonNullable<Key['unitsPeriod']>;

/** The periods of a cap in words, after its units. */
export const CAP_PERIODS: Readonly<Record<CapPeriod, string>> = {
  day: 'a day',
  week: 'a week',
  month: 'a month',
  once: 'once',
};

/** After a number of units: ` a day`, `, once`. */
export const perPeriod = (period: CapPeriod): string => (period === 'once' ? ', once' : ` ${CAP_PERIODS[period]}`);

/** When a cap begins again: `1 December, 00:00 UTC`, of a week `Monday, 30 November, 00:00 UTC`. Undefined: never. */
function capEnd(period: CapPeriod, nowMs: number): string | undefined {
  const at = new Date(nowMs);
  const idOf = (characters: string): string => at.toISOString().slice(0, characters.length);
  switch (period) {
    case 'day':
      return periodEnd(idOf('YYYY-MM-DD'));
    case 'week':
      // A week ends with its Sunday, which is the day 0.
      at.setUTCDate(at.getUTCDate() + ((7 - at.getUTCDay()) % 7));
      return `Monday, ${periodEnd(idOf('YYYY-MM-DD'))}`;
    case 'month':
      return periodEnd(idOf('YYYY-MM'));
    case 'once':
      return undefined;
  }
}

/** What happens when the units of a cap are used. */
export function capSentence(period: CapPeriod, nowMs: number): string {
  const end = capEnd(period, nowMs);
  return end === undefined
    ? 'It never begins again: when its units are used, requests are refused until somebody raises it.'
    : `It begins again on ${end}.`;
}

/** A cap of a key with what is used of it. */
interface Cap {
  readonly limit: number;
  readonly used: number;
  readonly left: number;
  /** Why it refuses every request: `used up`, or `stopped` by a limit of 0. Null: some units are left. */
  readonly over: 'used up' | 'stopped' | null;
  /** `10 a month`, `10, once`. */
  readonly words: string;
  /** The same with what is used and when it begins again, for a meter. */
  readonly sentence: string;
  /** `until 1 December, 00:00 UTC`; of one that never begins again, that. */
  readonly until: string;
}

/** The cap of a key. Null: it has none. */
export function shownCap({ unitsLimit, unitsPeriod, unitsUsed }: Key, nowMs: number): Cap | null {
  if (unitsLimit === null || unitsPeriod === null) return null;
  const used = unitsUsed ?? 0;
  const end = capEnd(unitsPeriod, nowMs);
  const per = perPeriod(unitsPeriod);
  const until = end === undefined ? 'it never begins again' : `until ${end}`;
  const words = `${formatCount(unitsLimit)}${per}`;
  const sentence = `${used} of ${unitsLimit} units${per}, ${until}`;
  const left = Math.max(0, unitsLimit - used);
  const over = unitsLimit === 0 ? 'stopped' : left === 0 ? 'used up' : null;
  return { limit: unitsLimit, used, left, over, words, sentence, until };
}

/** The budget that a key spends from, by the first key that had it. A key that shares none has its own. */
export const budgetOf = ({ capOf: firstKeyId, keyId }: Key): string => firstKeyId ?? keyId;

/**
 * The working keys that spend from the budget of a key, itself included if it works. A replaced key and its successor
 * are one. Fewer than two: nobody shares it.
 */
export function sharersOf(key: Key, keys: readonly Key[], nowMs: number): readonly Key[] {
  if (key.unitsPeriod !== 'once') return [];
  const of = keys.filter((one) => budgetOf(one) === budgetOf(key) && isActive(one, nowMs));
  return of.filter(({ replacedBy }) => !of.some(({ keyId }) => keyId === replacedBy));
}

/** Whether a new key may spend from the budget of this one: a test key, as all that are made here, with a cap once. */
export const mayShare = ({ unitsPeriod, replacedBy, mode }: Key): boolean =>
  unitsPeriod === 'once' && replacedBy === null && mode === 'test';

/** The budgets of working keys that a new key may spend from, each with a key of it, the first one if that works. */
export function budgetsIn(keys: readonly Key[], nowMs: number): (readonly [budget: string, key: Key, words: string])[] {
  const all = Map.groupBy(
    keys.filter((key) => mayShare(key) && isActive(key, nowMs)),
    budgetOf,
  );
  return [...all].flatMap(([budget, sharers]) => {
    const key = sharers.find(({ keyId }) => keyId === budget) ?? sharers[0];
    const cap = key && shownCap(key, nowMs);
    if (!cap) return [];
    const more = sharers.length === 1 ? '' : ` and ${counted(sharers.length - 1, 'more key')}`;
    return [[budget, key, `Of ${inWords(key)}${more}: ${formatCount(cap.left)} of ${formatCount(cap.limit)} left`]];
  });
}
