import { PING_PATH } from '../../../functions/operations/ping.ts';
import { ROUTES } from '../../../functions/routes.ts';
import type { Check } from '../check.ts';
import { expectProblem, expectSameMembers } from '../expectations.ts';

/** A path that no route has. */
export const unknownPath: Check = {
  name: 'unknown path',
  run: async ({ send }) => {
    expectProblem(await send({ method: 'GET', path: '/api/v1/nowhere' }), 'NOT_FOUND');
    return '404 NOT_FOUND';
  },
};

/** A path that has other methods; `Allow` lists them (RFC 9110, section 15.5.6). */
export const wrongMethod: Check = {
  name: 'wrong method',
  run: async ({ send }) => {
    const answer = await send({ method: 'GET', path: PING_PATH });
    expectProblem(answer, 'METHOD_NOT_ALLOWED');
    const methods = ROUTES.filter(({ path }) => path === PING_PATH).map(({ method }) => method);
    expectSameMembers(answer, 'Allow', methods);
    return `405 METHOD_NOT_ALLOWED, Allow: ${methods.join(', ')}`;
  },
};
