import { formatCount } from '../text/format.ts';

/** As the API has it. */
const MAX_UNITS = 1_000_000_000;

/** The limit in a field: null where it is empty, undefined where it is no limit. Marks between thousands are allowed. */
export function readUnitsLimit(text: string): number | null | undefined {
  const plain = text.trim().replaceAll(/[\s,]/g, '');
  if (plain === '') return null;
  return /^\d{1,10}$/.test(plain) && Number(plain) <= MAX_UNITS ? Number(plain) : undefined;
}

/** What is wrong with the text of a limit; null: nothing. */
export const unitsLimitProblem = (text: string): string | null =>
  readUnitsLimit(text) === undefined
    ? `Give a whole number up to ${formatCount(MAX_UNITS)}, or leave it empty for no cap.`
    : null;
