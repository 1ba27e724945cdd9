import * as v from 'valibot';
import { LeakedKeys } from './requests/leaked-keys.ts';
import { BODY_CODES, Empty, FAIL_CODES, type PortalOperation } from './route.ts';

/** Reports of keys that were found in public. */
export const leakedKeyContract = {
  /** GitHub's secret scanning sends the list alone. The answer is the same for every key. */
  reportLeakedKeys: {
    body: v.union([LeakedKeys, LeakedKeys.entries.keys]),
    answers: { 204: Empty },
    refuses: [...FAIL_CODES, ...BODY_CODES],
  },
} as const satisfies Record<string, PortalOperation>;
