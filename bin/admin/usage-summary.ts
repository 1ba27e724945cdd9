import { count, percentile, type Counts } from '../../functions/usage/sums/latency-histogram.ts';
import { SIMULATED } from '../../functions/shared/names.ts';
import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';

/** The possible groupings of events. */
export const USAGE_GROUPINGS = ['day', 'key', 'event', 'code'] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

/** Figures of some events. Percentiles are by nearest rank, and null when there are no events. */
export interface UsageFigures {
  /** The number of events: one for each request, but one per key, code and minute for refusals before admission. */
  readonly requests: number;
  readonly units: number;
  /** Latencies are from receipt to decision, without settlement. */
  readonly p50LatencyMs: number | null;
  readonly p95LatencyMs: number | null;
  readonly p99LatencyMs: number | null;
}

/** The figures of one group. */
interface UsageGroup extends UsageFigures {
  /** The common UTC day, key id, event or code of its events; null: they have no code. Simulations are apart. */
  readonly key: string | null;
}

/** A project's usage, by group and in total. */
export interface UsageSummary {
  readonly by: UsageGrouping;
  /** Days in order, other groups by size, the largest first. Groups without events are omitted. */
  readonly groups: readonly UsageGroup[];
  readonly total: UsageFigures;
}

const GROUP_KEYS: Readonly<Record<UsageGrouping, (event: UsageEvent) => string | null>> = {
  // The time is in UTC.
  day: ({ occurredAt }) => occurredAt.slice(0, 'YYYY-MM-DD'.length),
  key: ({ keyId }) => keyId,
  event: ({ event, simulated }) => (simulated ? SIMULATED : event),
  code: ({ code, simulated }) => (simulated ? SIMULATED : code),
};

/** Sums events while they are read. The memory depends on the number of groups, not on the number of events. */
export async function summariseUsage(events: AsyncIterable<UsageEvent>, by: UsageGrouping): Promise<UsageSummary> {
  const groupKey = GROUP_KEYS[by];
  const tallies = new Map<string | null, Tally>();
  const total = tally();
  for await (const event of events) {
    const key = groupKey(event);
    let group = tallies.get(key);
    if (group === undefined) tallies.set(key, (group = tally()));
    group.add(event);
    total.add(event);
  }
  const groups = [...tallies].map(([key, { figures }]) => ({ key, ...figures() }));
  return { by, groups: groups.sort(by === 'day' ? byKey : bySize), total: total.figures() };
}

type Tally = ReturnType<typeof tally>;

function tally() {
  // Whole milliseconds below a request's few seconds: some thousand counters hold any number of them exactly.
  const latencies: Counts = new Map();
  let requests = 0;
  let units = 0;
  return {
    add: (event: UsageEvent): void => {
      requests++;
      units += event.units;
      count(latencies, event.latencyMs);
    },
    figures: (): UsageFigures => ({
      requests,
      units,
      p50LatencyMs: percentile(latencies, 50),
      p95LatencyMs: percentile(latencies, 95),
      p99LatencyMs: percentile(latencies, 99),
    }),
  };
}

const byKey = (a: UsageGroup, b: UsageGroup): number => ((a.key ?? '') < (b.key ?? '') ? -1 : 1);
const bySize = (a: UsageGroup, b: UsageGroup): number => b.requests - a.requests || byKey(a, b);
