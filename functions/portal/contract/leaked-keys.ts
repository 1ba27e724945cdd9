import * as v from 'valibot';
import { MAX_REPORTED } from '../../shared/choices.ts';
import { BODY_CODES, Empty, type PortalOperation } from './operation.ts';

const RULE = `Give 1 to ${MAX_REPORTED} keys: each a text, or an object with token and url.`;

/** Whole keys that were found in public, each with where. */
export const LeakedKeys = v.object({
  keys: v.pipe(
    // Counted before each is looked at.
    v.array(v.unknown(), RULE),
    v.check(({ length }) => length >= 1 && length <= MAX_REPORTED, RULE),
    v.array(
      v.union([
        v.pipe(
          v.string(),
          v.transform((token) => ({ token, url: undefined })),
        ),
        v.object({ token: v.string(), url: v.optional(v.string()) }),
      ]),
      RULE,
    ),
  ),
});

/** Reports of keys that were found in public. */
export const leakedKeyContract = {
  /** GitHub's secret scanning sends the list alone. The answer is the same for every key. */
  reportLeakedKeys: {
    route: 'POST /api/leaked-keys',
    by: 'anyone',
    from: 'program',
    body: v.union([LeakedKeys, LeakedKeys.entries.keys]),
    answers: { 204: Empty },
    refuses: BODY_CODES,
  },
} as const satisfies Record<string, PortalOperation>;
