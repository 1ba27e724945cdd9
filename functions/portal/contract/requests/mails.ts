import * as v from 'valibot';
import { MAX_DAYS, MAX_PERCENT, MAX_THRESHOLDS } from '../../../shared/rules/choices.ts';

const Choice = v.optional(v.boolean('Give true or false.'));
/** Which mails owners get. What is not given stays. */
export const OwnerMailsChanges = v.object({ quota: Choice, keys: Choice, team: Choice });

/** Distinct whole numbers, at most five. */
const numbers = (most: number) => {
  const rule = `Give at most ${MAX_THRESHOLDS} different whole numbers from 1 to ${most}.`;
  return v.pipe(
    v.array(v.pipe(v.number(rule), v.integer(rule), v.minValue(1, rule), v.maxValue(most, rule)), rule),
    v.check(({ length }) => length <= MAX_THRESHOLDS, rule),
    v.check((given) => new Set(given).size === given.length, rule),
  );
};
/** Shares of a quota. */
export const Percents = numbers(MAX_PERCENT);
/** Days before an expiry. */
export const Days = numbers(MAX_DAYS);
/**
 * When owners are told. What is not given stays. Of the thresholds that are passed already the highest is told with the
 * next request, unless a higher one was told before.
 */
export const ThresholdsChanges = v.object({ percents: v.optional(Percents), days: v.optional(Days) });
