import * as v from 'valibot';
import { MAX_REPORTED } from '../../../shared/rules/choices.ts';

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
