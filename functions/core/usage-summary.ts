import { count, percentile, type Counts } from './latency-histogram.ts';
import type { UsageEvent } from './usage-event.ts';

/** What events can be grouped by. */
export const USAGE_GROUPINGS = ['day', 'key', 'event', 'code'] as const;
export type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

/** Figures of some events. Percentiles are by nearest rank, and null when there are no events. */
export interface UsageFigures {
  /** How many events there are: one a request, but one per key, code and minute of refusals before admission. */
  readonly requests: number;
  readonly units: number;
  /** Latencies are from receipt to decision; settlement is not in them. */
  readonly p50LatencyMs: number | null;
  readonly p95LatencyMs: number | null;
  readonly p99LatencyMs: number | null;
}

/** The figures of one group. */
interface UsageGroup extends UsageFigures {
  /** The UTC day, key id, event or code that its events share; null: they have no code. */
  readonly key: string | null;
}

/** What a project's usage comes to, by group and in all. */
export interface UsageSummary {
  readonly by: UsageGrouping;
  /** Days in their order, other groups from the largest on. A group without events is left out. */
  readonly groups: readonly UsageGroup[];
  readonly total: UsageFigures;
}

const GROUP_KEYS: Readonly<Record<UsageGrouping, (event: UsageEvent) => string | null>> = {
  // The time is in UTC.
  day: ({ occurredAt }) => occurredAt.slice(0, 'YYYY-MM-DD'.length),
  key: ({ keyId }) => keyId,
  event: ({ event }) => event,
  code: ({ code }) => code,
};

/** Sums events up as they are taken: what is in memory grows with the groups, not with the events. */
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
