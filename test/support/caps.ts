import { capSpanAt } from '../../functions/shared/request/cap-period.ts';
import type { CountedCap } from '../../functions/shared/request/quota-shards.ts';
import { NOW_MS } from './times.ts';

/** The cap of a key as a request has read it, in a stage with a quota by month. */
export const readCap = (id: string, limit: number, units: number, sharedLimit?: number): CountedCap => ({
  id,
  limit,
  units,
  sharedLimit,
  span: capSpanAt(NOW_MS, id, 'month'),
  oldestPart: undefined,
});
