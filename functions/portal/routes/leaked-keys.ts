import { reportLeakedKeys } from '../../accounts/keys/leaked-keys.ts';
import { leakedKeyContract, LeakedKeys } from '../contract/leaked-keys.ts';
import { readInput } from '../request/input.ts';
import type { Served } from '../serve/serve.ts';

/** A list of a scanner is larger than other bodies. */
const MAX_REPORT_BYTES = 512 * 1024;

/**
 * Takes keys that were found in public, as `{keys: […]}` or as the list that GitHub's secret scanning sends. The answer
 * is the same for every key, so that nobody learns which ones exist.
 */
export const leakedKeyRoutes: readonly Served[] = [
  {
    operation: leakedKeyContract.reportLeakedKeys,
    // Anybody may: no person is asked for.
    handle: async (c, { store, leakedKeys = 'revoke' }) => {
      const { keys } = await readInput(c, LeakedKeys, { listAs: 'keys', maxBytes: MAX_REPORT_BYTES });
      await reportLeakedKeys({ ...store, deadline: c.get('state').deadline }, keys, leakedKeys);
      return c.body(null, 204);
    },
  },
];
