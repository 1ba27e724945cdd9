import * as v from 'valibot';
import { addTally, emptyTally, OTHER_KEYS, type OutcomeCount, type UsageTally } from './tally.ts';

/**
 * The number of keys that a tally's text distinguishes: those with the most requests. The others are counted together,
 * so that totals stay exact. 500 keys with every outcome and the largest numbers take 300 kB; an item of DynamoDB holds
 * 400 kB. People make 20 keys a project, the platform team any number.
 */
export const MAX_KEYS = 500;

const Numbers = v.array(v.number());
/** How a tally is stored. To be small, outcomes are positions in a list, and each count is three numbers. */
const TallyJson = v.object({
  outcomes: v.array(v.string()),
  /** For each key: position of the outcome, requests, units, and so on. */
  keys: v.record(v.string(), Numbers),
  /** Bucket, count, and so on. */
  latencies: Numbers,
  chargedOnly: v.optional(v.literal(true)),
});
const TallyText = v.pipe(v.string(), v.parseJson(), TallyJson);

/** A tally as text of bounded length. Equal tallies have equal texts. */
export function tallyText(tally: UsageTally): string {
  const bounded = emptyTally();
  [...tally.keys].sort(byRequests).forEach(([keyId, counts], place) => {
    addTally(bounded, { ...emptyTally(), keys: new Map([[place < MAX_KEYS ? keyId : OTHER_KEYS, counts]]) });
  });
  const keys = [...bounded.keys].sort(byName);
  const outcomes = [...new Set(keys.flatMap(([, counts]) => [...counts.keys()]))].sort();
  const places = new Map(outcomes.map((outcome, place) => [outcome, place]));
  const json: v.InferOutput<typeof TallyJson> = {
    outcomes,
    keys: Object.fromEntries(keys.map(([keyId, counts]) => [keyId, numbersOf(counts, places)])),
    latencies: [...tally.latencies].sort(([a], [b]) => a - b).flat(),
    ...(tally.chargedOnly && { chargedOnly: true }),
  };
  return JSON.stringify(json);
}

/** The tally in a text of {@link tallyText}; undefined: the text is invalid, for example after a manual change. */
export function parseTally(text: string | undefined): UsageTally | undefined {
  const { success, output } = v.safeParse(TallyText, text);
  if (!success) return undefined;
  const { outcomes, keys, latencies, chargedOnly = false } = output;
  const tally = emptyTally(chargedOnly);
  for (const [keyId, numbers] of Object.entries(keys)) {
    const counts = new Map<string, OutcomeCount>();
    for (const [place, requests, units] of groups(numbers, 3)) {
      counts.set(outcomes[place] ?? '', { requests, units: units ?? 0 });
    }
    tally.keys.set(keyId, counts);
  }
  for (const [bucket, count] of groups(latencies, 2)) tally.latencies.set(bucket, count);
  return tally;
}

const numbersOf = (counts: ReadonlyMap<string, OutcomeCount>, places: ReadonlyMap<string, number>): number[] =>
  [...counts]
    .map(([outcome, { requests, units }]) => [places.get(outcome) ?? 0, requests, units] as const)
    .sort(([a], [b]) => a - b)
    .flat();

function* groups(numbers: readonly number[], size: number): Generator<[number, number, number?]> {
  for (let i = 0; i < numbers.length; i += size) yield numbers.slice(i, i + size) as [number, number, number?];
}

type Entry = [string, Map<string, OutcomeCount>];

const byRequests = (a: Entry, b: Entry): number => requestsOf(b) - requestsOf(a) || byName(a, b);
const byName = ([a]: Entry, [b]: Entry): number => (a < b ? -1 : 1);

function requestsOf([, counts]: Entry): number {
  let sum = 0;
  for (const { requests } of counts.values()) sum += requests;
  return sum;
}

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
