import { PING_PATH } from '../../../functions/operations/ping.ts';
import { HEADERS, HEALTH_PATH } from '../../../functions/wiring.ts';
import type { Check } from '../check.ts';
import { deviation, expectEmpty, expectHeader, expectSameMembers, header, listHeader, shown } from '../expectations.ts';
import type { Answer, SmokeRequest } from '../http-client.ts';

const ALLOW_ORIGIN = 'Access-Control-Allow-Origin';
/** Nobody's: the domain cannot exist (RFC 6761, section 6.4). */
const FOREIGN_ORIGIN = 'https://foreign.invalid';

const preflight = (origin: string): SmokeRequest => ({
  method: 'OPTIONS',
  path: PING_PATH,
  headers: {
    Origin: origin,
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
  },
});

/** Scripts of an origin that is not on the list must not read anything. */
export const foreignOrigin: Check = {
  name: 'foreign origin',
  run: async ({ send }) => {
    const asked = await send(preflight(FOREIGN_ORIGIN));
    expectEmpty(asked, 204);
    for (const answer of [
      asked,
      await send({ method: 'GET', path: HEALTH_PATH, headers: { Origin: FOREIGN_ORIGIN } }),
    ]) {
      const allowed = header(answer, ALLOW_ORIGIN);
      if (allowed !== undefined) throw deviation(ALLOW_ORIGIN, 'none', shown(allowed));
      expectVaries(answer);
    }
    return 'may read nothing';
  },
};

/** A browser asks for leave before it sends a key from a page of this origin. */
export const allowedPreflight = (origin: string): Check => ({
  name: 'preflight',
  run: async ({ send }) => {
    const answer = await send(preflight(origin));
    expectEmpty(answer, 204);
    expectAllowed(answer, origin);
    expectSameMembers(answer, 'Access-Control-Allow-Methods', ['GET', 'POST', 'OPTIONS']);
    expectSameMembers(answer, 'Access-Control-Allow-Headers', ['Authorization', 'Content-Type', 'Idempotency-Key']);
    return `204, ${origin} may send a ping`;
  },
});

/** A page of this origin may read the answers and all of the service's headers, refusals included. */
export const allowedOrigin = (origin: string): Check => ({
  name: 'allowed origin',
  run: async ({ send }) => {
    const exposed = [...Object.values(HEADERS), 'Retry-After', 'WWW-Authenticate'];
    for (const path of [HEALTH_PATH, '/api/v1/nowhere']) {
      const answer = await send({ method: 'GET', path, headers: { Origin: origin } });
      expectAllowed(answer, origin);
      expectSameMembers(answer, 'Access-Control-Expose-Headers', exposed);
    }
    return `${origin} may read answers and headers`;
  },
});

function expectAllowed(answer: Answer, origin: string): void {
  expectHeader(answer, ALLOW_ORIGIN, origin);
  const credentials = header(answer, 'Access-Control-Allow-Credentials');
  if (credentials !== undefined) throw deviation('Access-Control-Allow-Credentials', 'none', shown(credentials));
  expectVaries(answer);
}

/** Without it a cache could hand one origin's answer to another. */
function expectVaries(answer: Answer): void {
  if (!listHeader(answer, 'Vary').includes('origin'))
    throw deviation('Vary', '"Origin"', shown(header(answer, 'Vary')));
}
