import { addLatencies, addLatency, latencyPercentile, type LatencyHistogram } from './latency-histogram.ts';
import { SIMULATED, type UsageEventName } from '../../shared/names.ts';
import type { UsageEvent } from '../../shared/request/usage-event.ts';

/** The counted fields of a usage event; `simulated` as stored. */
export type CountedEvent = Pick<UsageEvent, 'keyId' | 'event' | 'code' | 'units' | 'latencyMs'> & {
  readonly simulated?: unknown;
};

/** Events of one key with the same outcome. */
export interface OutcomeCount {
  requests: number;
  units: number;
}

/** The sum of the events of an interval of time. The tallies of several intervals can be added. */
export interface UsageTally {
  /** By key id, then by outcome ({@link outcomeOf}). */
  readonly keys: Map<string, Map<string, OutcomeCount>>;
  /** Of all events: percentiles are for all keys together. */
  readonly latencies: LatencyHistogram;
  /** Whether events of 0 units may be missing. */
  chargedOnly: boolean;
}

/** Figures of a tally, as the portal's contract has them. */
export interface TallyFigures {
  readonly requests: number;
  readonly units: number;
  /** Simulations are apart, also those that were charged. */
  readonly outcomes: Partial<Record<UsageEventName | typeof SIMULATED, number>>;
  readonly p50LatencyMs: number | null;
  readonly p95LatencyMs: number | null;
  readonly chargedOnly: boolean;
}

/** The id of all keys that are not distinguished. */
export const OTHER_KEYS = '';

export const emptyTally = (chargedOnly = false): UsageTally => ({ keys: new Map(), latencies: new Map(), chargedOnly });

/** Counts one event. */
export function addEvent(tally: UsageTally, event: CountedEvent): void {
  count(tally, event.keyId, outcomeOf(event), 1, event.units);
  addLatency(tally.latencies, event.latencyMs);
}

/**
 * Event and code, or the event alone where there is no code. Simulations are two outcomes, so that their number does
 * not make a tally larger: charged ones, and the others, whose events expire earlier.
 */
function outcomeOf({ event, code, units, simulated }: CountedEvent): string {
  if (simulated === true) return `${units > 0 ? 'request_succeeded' : 'request_rejected'} ${SIMULATED}`;
  return code === null ? event : `${event} ${code}`;
}

/** Adds what another tally counted. */
export function addTally(tally: UsageTally, other: UsageTally): void {
  for (const [keyId, outcomes] of other.keys) {
    for (const [outcome, { requests, units }] of outcomes) count(tally, keyId, outcome, requests, units);
  }
  addLatencies(tally.latencies, other.latencies);
  tally.chargedOnly ||= other.chargedOnly;
}

function count({ keys }: UsageTally, keyId: string, outcome: string, requests: number, units: number): void {
  let outcomes = keys.get(keyId);
  if (!outcomes) keys.set(keyId, (outcomes = new Map<string, OutcomeCount>()));
  const counted = outcomes.get(outcome);
  if (counted) {
    counted.requests += requests;
    counted.units += units;
  } else outcomes.set(outcome, { requests, units });
}

/** What one key was used for. */
export interface KeyFigures extends Readonly<OutcomeCount> {
  /** {@link OTHER_KEYS}: all keys that are not distinguished. */
  readonly keyId: string;
}

/** Requests and units of each key, most units first. */
export const figuresByKey = ({ keys }: Pick<UsageTally, 'keys'>): KeyFigures[] =>
  [...keys]
    .map(([keyId, outcomes]) => {
      const counts = [...outcomes.values()];
      const sumOf = (name: keyof OutcomeCount): number => counts.reduce((sum, counted) => sum + counted[name], 0);
      return { keyId, requests: sumOf('requests'), units: sumOf('units') };
    })
    .sort(
      (one, other) => other.units - one.units || other.requests - one.requests || (one.keyId < other.keyId ? -1 : 1),
    );

/** Requests of one key that were refused with one code. */
export interface RefusalFigures {
  readonly keyId: string;
  readonly code: string;
  readonly requests: number;
}

/** How many causes of refusals an answer lists. */
const MAX_LISTED_REFUSALS = 50;

/** The refusals of each key by code, most first, without simulated ones: those of keys that are told apart. */
export const refusalsOf = ({ keys }: Pick<UsageTally, 'keys'>, only?: string): RefusalFigures[] =>
  [...keys]
    .filter(([keyId]) => keyId !== OTHER_KEYS && (only === undefined || keyId === only))
    .flatMap(([keyId, outcomes]) =>
      [...outcomes].flatMap(([outcome, { requests }]) => {
        const [, code] = outcome.split(' ', 2);
        return code === undefined || code === SIMULATED ? [] : [{ keyId, code, requests }];
      }),
    )
    .sort((one, other) => other.requests - one.requests || (one.keyId + one.code < other.keyId + other.code ? -1 : 1))
    .slice(0, MAX_LISTED_REFUSALS);

/** How many keys an answer lists one by one. */
const MAX_LISTED_KEYS = 500;

/** Those with the most units, and the sum of all others. */
export function listedKeys(figures: readonly KeyFigures[]) {
  const apart = figures.filter(({ keyId }) => keyId !== OTHER_KEYS);
  const keys = apart.slice(0, MAX_LISTED_KEYS);
  const left = [...apart.slice(MAX_LISTED_KEYS), ...figures.filter(({ keyId }) => keyId === OTHER_KEYS)];
  const others = { keys: apart.length - keys.length, requests: 0, units: 0 };
  for (const { requests, units } of left) {
    others.requests += requests;
    others.units += units;
  }
  return { keys, others };
}

/** The figures of all keys, or of one. One key has no percentiles, since latencies are not stored by key. */
export function figuresOf({ keys, latencies, chargedOnly }: UsageTally, keyId?: string): TallyFigures {
  const outcomes: Partial<Record<UsageEventName | typeof SIMULATED, number>> = {};
  let [requests, units] = [0, 0];
  for (const counts of keyId === undefined ? keys.values() : [keys.get(keyId) ?? []]) {
    for (const [outcome, counted] of counts) {
      const [event, code] = outcome.split(' ', 2) as [UsageEventName, string?];
      const name = code === SIMULATED ? SIMULATED : event;
      outcomes[name] = (outcomes[name] ?? 0) + counted.requests;
      requests += counted.requests;
      units += counted.units;
    }
  }
  const percentile = (percent: number) => (keyId === undefined ? latencyPercentile(latencies, percent) : null);
  return { requests, units, outcomes, p50LatencyMs: percentile(50), p95LatencyMs: percentile(95), chargedOnly };
}
