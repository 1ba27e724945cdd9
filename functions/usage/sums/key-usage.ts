import type { AccountStore } from '../../accounts/store/account-store.ts';
import { isoTime, type Period } from '../../shared/time.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import type { UsageSeries } from './buckets.ts';
import { DAY, HOUR, FIVE_MINUTES, startOf, type Bounds, type IntervalLength } from './intervals.ts';
import type { UsageQuestion } from './begun-series.ts';
import { isWithin } from '../events/log.ts';
import { readRecent } from '../events/recent.ts';
import { readSeries } from './usage-series.ts';

/** The most events of a project that are read for the minutes after a rotation. */
const LOOKED_AT = 500;

/** A question about a key of a project. */
export interface KeyQuestion extends Pick<UsageQuestion, 'projectId' | 'nowMs' | 'usageRetentionDays'> {
  readonly keyId: string;
  readonly period: Period;
  /** When another key replaced it, as an ISO time. Undefined: its requests since then are not needed. */
  readonly replacedAt: string | undefined;
}

/**
 * Reads the usage of a key in a period by day, and since its rotation, from the stored sums of its project. Missing
 * sums are made as for {@link readSeries}. It takes one round trip when all sums are stored.
 * @param runInBackground receives the writes of new sums, which still run
 */
export async function readKeyUsage(
  store: AccountStore,
  { period, replacedAt, ...of }: KeyQuestion,
  runInBackground: (storing: Promise<void>) => void,
) {
  const read = async (by: IntervalLength, sinceMs: number, untilMs = Infinity): Promise<Summed> => {
    // Up to the end of the present bucket.
    const span = { sinceMs, untilMs: Math.min(untilMs, startOf(by, of.nowMs) + by.lengthMs) };
    if (span.untilMs <= span.sinceMs) return NOTHING;
    const { series, storing } = await readSeries(store, { ...of, by, span });
    runInBackground(storing);
    return series;
  };
  const rotatedMs = replacedAt === undefined ? Infinity : Date.parse(replacedAt);
  const [partMs, hourMs, dayMs] = [
    nextStart(FIVE_MINUTES, rotatedMs),
    nextStart(HOUR, rotatedMs),
    nextStart(DAY, rotatedMs),
  ];
  const [days, hours, parts, first] = await allFulfilled([
    read(DAY, Math.min(period.startsAtMs, dayMs)),
    read(HOUR, hourMs, dayMs),
    read(FIVE_MINUTES, partMs, hourMs),
    countFirst(store, of, { sinceMs: rotatedMs, untilMs: partMs }),
  ]);
  const inPeriod = from(days, period.startsAtMs);
  const sinceRotation = [from(days, dayMs), hours.buckets, parts.buckets].flat();
  return {
    usage: {
      period: period.id,
      complete: days.complete,
      requests: sumOf(inPeriod, 'requests'),
      units: sumOf(inPeriod, 'units'),
      days: inPeriod.map(({ start, requests, units }) => ({ start, requests, units })),
    },
    sinceRotation:
      replacedAt === undefined
        ? null
        : {
            replacedAt,
            // The first five minutes are not counted if the project had very many requests then.
            countedFrom: first === undefined ? isoTime(partMs) : replacedAt,
            complete: days.complete && hours.complete && parts.complete,
            requests: sumOf(sinceRotation, 'requests') + (first ?? 0),
          },
  };
}

type Summed = Pick<UsageSeries, 'complete' | 'buckets'>;
const NOTHING: Summed = { complete: true, buckets: [] };

/** The first beginning of an interval at or after a moment. */
const nextStart = (length: IntervalLength, epochMs: number): number => startOf(length, epochMs + length.lengthMs - 1);

const from = ({ buckets }: Summed, sinceMs: number): Summed['buckets'] =>
  buckets.filter(({ start }) => Date.parse(start) >= sinceMs);

const sumOf = (buckets: Summed['buckets'], name: 'requests' | 'units'): number =>
  buckets.reduce((sum, figures) => sum + figures[name], 0);

/**
 * Counts the requests of the minutes before the first interval that has a sum of its own, in one query that reads a
 * bounded number of events; undefined: there were more.
 */
async function countFirst(
  store: AccountStore,
  { projectId, keyId }: Pick<KeyQuestion, 'projectId' | 'keyId'>,
  span: Bounds,
): Promise<number | undefined> {
  if (span.untilMs <= span.sinceMs || !Number.isFinite(span.sinceMs)) return 0;
  const { events, frontier } = await readRecent(store, projectId, {
    span,
    equal: { keyId },
    limit: 0,
    maxRead: LOOKED_AT,
  });
  return frontier === undefined ? events.filter((event) => isWithin(event, span)).length : undefined;
}
