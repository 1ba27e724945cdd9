import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { ProjectIds } from '../api/queries.ts';
import type { Usage, UsageEvent } from '../api/schemas.ts';
import { lastAnswersQuery, usageByKeyQuery } from '../api/usage-queries.ts';
import { DAY_MS } from '../text/format.ts';
import { boundsOf } from '../text/quota.ts';

const UNUSED: readonly number[] = [0, 0, 0, 0, 0, 0, 0];

/** What a key was used for lately, as far as it is read. */
export interface KeyUse {
  /** Its units on each of the last seven UTC days. */
  readonly week?: readonly number[];
  /** Its units in the period of the quota. */
  readonly units?: number;
  /** Whether some of the period are not summed yet. */
  readonly isSoFar?: boolean;
  /** Its newest request; undefined: it has none among the newest of the project. */
  readonly newest?: UsageEvent | undefined;
}

/** What each key of a project was used for, by two reads for all of them, and whether one of these failed. */
export function useKeyUse(ids: ProjectIds, period: string) {
  const sums = useQuery(usageByKeyQuery(ids, 'days', period));
  const latest = useQuery(lastAnswersQuery(ids));
  const daysOf = useMemo(() => sums.data && daysIn(sums.data, period), [sums.data, period]);
  const latelyOf = (keyId: string): KeyUse => ({
    ...daysOf?.(keyId),
    newest: latest.data?.events.find((event) => event.keyId === keyId),
  });
  return { latelyOf, isFailed: sums.isLoadingError || latest.isLoadingError };
}

/** The units of each key, by its days in an answer. */
function daysIn({ since, complete, keys = [] }: Usage, period: string) {
  const ofKey = new Map(keys.map(({ keyId, days }) => [keyId, days]));
  const before = Math.round((boundsOf(period).startMs - Date.parse(since)) / DAY_MS);
  return (keyId: string): KeyUse => {
    const days = ofKey.get(keyId) ?? UNUSED;
    const units = days.slice(Math.max(0, before)).reduce((sum, each) => sum + each, 0);
    return { week: days.slice(-UNUSED.length), units, isSoFar: !complete };
  };
}
