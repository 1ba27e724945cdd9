import { useState } from 'react';
import { formatCount } from '../text/format.ts';

/** In the form of the API. */
const MAX_UNITS = 1_000_000_000;

/** The limit in a field. Null: it is empty. Undefined: it is not valid. Separators of thousands are allowed. */
export function readUnitsLimit(text: string): number | null | undefined {
  const plain = text.trim().replaceAll(/[\s,]/g, '');
  if (plain === '') return null;
  return /^\d{1,10}$/.test(plain) && Number(plain) <= MAX_UNITS ? Number(plain) : undefined;
}

/** The error of a limit's text. Null: none. */
export const unitsLimitProblem = (text: string): string | null =>
  readUnitsLimit(text) === undefined
    ? `Give a whole number up to ${formatCount(MAX_UNITS)}, or leave it empty for no cap.`
    : null;

/** A cap of 0 refuses every request of the key, so it is asked for once more. */
export function useCapOfNothing(text: string) {
  const [asked, setAsked] = useState<string>();
  const isAsking = asked === text;
  return {
    isAsking,
    /** Whether this press only asks. */
    asks: (): boolean => {
      if (readUnitsLimit(text) !== 0 || isAsking) return false;
      setAsked(text);
      return true;
    },
  };
}
