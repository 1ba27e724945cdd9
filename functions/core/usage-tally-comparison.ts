import { tallyText } from './usage-tally-text.ts';
import { addTally, emptyTally, OTHER_KEYS, type UsageTally } from './usage-tally.ts';

/**
 * Whether a kept tally says what the events do. Where events of 0 units may be gone by now, or were when it was summed,
 * only what was charged is compared; where it does not tell all keys apart, they are compared together.
 */
export function agrees(kept: UsageTally, counted: UsageTally, isWhole: boolean): boolean {
  const compared = { isWhole: isWhole && !kept.chargedOnly, isApart: !kept.keys.has(OTHER_KEYS) };
  return tallyText(comparable(kept, compared)) === tallyText(comparable(counted, compared));
}

function comparable(tally: UsageTally, { isWhole, isApart }: { isWhole: boolean; isApart: boolean }): UsageTally {
  const result = emptyTally();
  for (const [keyId, counts] of tally.keys) {
    const compared = [...counts].filter(([, { units }]) => isWhole || units > 0);
    addTally(result, { ...emptyTally(), keys: new Map([[isApart ? keyId : OTHER_KEYS, new Map(compared)]]) });
  }
  return isWhole ? { ...result, latencies: tally.latencies } : result;
}
