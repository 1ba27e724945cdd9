import { HEALTH_PATH } from '../../../functions/wiring.ts';
import type { Check } from '../check.ts';
import { expectSuccess } from '../expectations.ts';

/** The health check (docs/using-the-api.md, "Operations"): also how the gateway is told from anything else. */
export const health: Check = {
  name: 'health',
  run: async ({ send }) => {
    const answer = await send({ method: 'GET', path: HEALTH_PATH });
    expectSuccess(answer, { ok: true, service: 'sandbox-gateway', status: 'available' });
    return '200, available';
  },
};
