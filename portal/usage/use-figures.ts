import { useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Project, ProjectIds } from '../api/queries.ts';
import { usageQuery } from '../api/usage-queries.ts';
import { useNow } from '../components/use-now.ts';
import { labelsOf } from './labels.ts';
import { RANGES, slotsOf, unread, type Range } from './ranges.ts';

/** The words of a range in a sentence after “in”. */
export const wordsOf = (range: Range): string => RANGES.find(([each]) => each === range)?.[2] ?? '';

/** The usage of a project, or of one of its keys, over a range: what all its figures are drawn from. */
export function useFigures(ids: ProjectIds, { period }: Project, range: Range, keyId?: string) {
  const nowMs = useNow();
  const query = useQuery(usageQuery(ids, range, period, keyId));
  const [at, onPoint] = useState<number>();
  const { data } = query;
  const usage = useMemo(() => data ?? unread(range, period, nowMs), [data, range, period, nowMs]);
  const slots = useMemo(() => slotsOf(usage), [usage]);
  const labels = useMemo(() => labelsOf(usage.by), [usage.by]);
  const figure = { usage, slots, labels, words: wordsOf(range), at, onPoint, isPending: data === undefined };
  return { query, figure };
}
