import { HEADERS } from '../../../functions/wiring.ts';
import { system } from '../../../functions/system.ts';
import type { Check } from '../check.ts';
import { deviation, expectHeader, expectProblem } from '../expectations.ts';
import { expectRetryAt, quotaOf } from '../limits.ts';
import { pingRequest } from '../ping-request.ts';

/**
 * A ping of a project without units left. Its new Idempotency-Key makes the gateway look for a twin once more, in a
 * transactional read that nothing else asks for: a permission that is missing for it shows here only.
 */
export const exhaustedQuota: Check = {
  name: 'exhausted quota',
  run: async ({ sendWithExhaustedKey }) => {
    const answer = await sendWithExhaustedKey(pingRequest('{}', { 'Idempotency-Key': `smoke-${system.newId()}` }));
    expectProblem(answer, 'QUOTA_EXCEEDED');
    const quota = quotaOf(answer);
    if (quota === undefined) throw deviation('quota headers', 'all four', 'none');
    expectHeader(answer, HEADERS.quotaRemaining, '0');
    expectRetryAt(answer, quota.resetEpochSeconds);
    return '429 QUOTA_EXCEEDED with Retry-After';
  },
};
