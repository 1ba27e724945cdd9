import * as v from 'valibot';
import { KeyId } from './fields.ts';
import { Span } from './lists.ts';

/** Lengths of buckets. */
export const BUCKETS = ['5min', 'hour', 'day'] as const;
const BY = [...BUCKETS, 'key'] as const;

/** The query of sums. Without a beginning the span has 24 hours. By key there are no buckets. */
export const UsageQuery = v.intersect([
  Span,
  v.object({
    by: v.optional(v.picklist(BY, `Give one of ${BY.join(', ')}.`), 'hour'),
    keyId: v.optional(KeyId),
  }),
]);

/** Lengths of buckets for programs; by key there are none. */
export const MANAGE_BY = ['day', 'hour', 'key'] as const;
/** The query of sums, for programs. */
export const ManageUsageQuery = v.intersect([
  Span,
  v.object({ by: v.optional(v.picklist(MANAGE_BY, `Give one of ${MANAGE_BY.join(', ')}.`), 'day') }),
]);

/** The query of a period that has begun, and whose events are all kept. Absent: the present one. */
export const PeriodQuery = v.object({ period: v.optional(v.string()) });
