import { tallyText } from './usage-tally-text.ts';
import { addTally, emptyTally, OTHER_KEYS, type UsageTally } from './usage-tally.ts';

/**
 * Whether a stored tally equals the events. Where events of 0 units may have expired, only charged events are compared.
 * Where it does not distinguish all keys, all keys are compared together.
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
