import type { Check } from '../check.ts';
import { challenge, keyInCookie, keyInQuery, noKey, unknownKey } from './credentials.ts';
import { noCaching, requestIds } from './every-answer.ts';
import { exhaustedQuota } from './exhausted-quota.ts';
import { health } from './health.ts';
import { idempotencyChecks } from './idempotency.ts';
import { badIdempotencyKey, badMediaType, bodyTooLarge, malformedJson } from './input.ts';
import { quotaCount, quotaHeaders, rateCount, rateHeaders } from './limits.ts';
import { allowedOrigin, allowedPreflight, foreignOrigin } from './origins.ts';
import { unknownPath, wrongMethod } from './routes.ts';

/** What a run was asked to check besides the rest. */
export interface Extras {
  readonly origin: string | undefined;
  /** Whether there is a key whose quota is used up. */
  readonly exhausted: boolean;
}

/**
 * The checks in their order: first what tells the gateway from anything else, last what looks at all answers. Refusals
 * of the input come before the ping, so that its charge shows in what they said was left.
 */
export const allChecks = ({ origin, exhausted }: Extras): [Check, ...Check[]] => [
  health,
  unknownPath,
  wrongMethod,
  foreignOrigin,
  ...(origin === undefined ? [] : [allowedPreflight(origin), allowedOrigin(origin)]),
  noKey,
  unknownKey,
  challenge,
  keyInQuery,
  keyInCookie,
  malformedJson,
  badIdempotencyKey,
  badMediaType,
  bodyTooLarge,
  ...idempotencyChecks(),
  ...(exhausted ? [exhaustedQuota] : []),
  rateHeaders,
  rateCount,
  quotaHeaders,
  quotaCount,
  requestIds,
  noCaching,
];
