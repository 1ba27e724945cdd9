import { LeakedKeys } from './requests/leaked-keys.ts';
import { BODY_CODES, Empty, FAIL_CODES, type PortalOperation } from './route.ts';

/** Reports of keys that were found in public. */
export const leakedKeyContract = {
  /**
   * The body may also be the list alone, as GitHub's secret scanning sends it. The answer is the same for every key.
   */
  reportLeakedKeys: { body: LeakedKeys, answers: { 204: Empty }, refuses: [...FAIL_CODES, ...BODY_CODES] },
} as const satisfies Record<string, PortalOperation>;
