import * as v from 'valibot';
import { Time } from './fields.ts';

/** Query parameters of lists. Each list combines those that it needs with `v.intersect`. */

export const MAX_LIMIT = 200;
export const DEFAULT_LIMIT = 50;
const LIMIT_RULE = `Give a whole number from 1 to ${MAX_LIMIT}.`;

/** The beginning and the end of a span. */
export const Span = v.pipe(
  v.object({ since: v.optional(Time), until: v.optional(Time) }),
  v.forward(
    v.check(
      ({ since, until }) => since === undefined || until === undefined || since <= until,
      'The span ends before it begins.',
    ),
    ['until'],
  ),
);

/** The greatest number of entries. */
export const Limited = v.object({
  limit: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,3}$/, LIMIT_RULE),
      v.transform(Number),
      v.minValue(1, LIMIT_RULE),
      v.maxValue(MAX_LIMIT, LIMIT_RULE),
    ),
    String(DEFAULT_LIMIT),
  ),
});

/**
 * The `cursor` of the page before, with the same filters. The function gives one that knows the cursors of its list.
 */
export type Continued = v.GenericSchema<{ cursor?: string | undefined }>;
/** Any cursor, where it matters only that there may be one. */
export const AnyCursor: Continued = v.object({ cursor: v.optional(v.string()) });
