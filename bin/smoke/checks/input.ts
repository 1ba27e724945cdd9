import { errorDefinition, type ErrorCode } from '../../../functions/core/errors.ts';
import type { Check } from '../check.ts';
import { expectProblem } from '../expectations.ts';
import type { SmokeRequest } from '../http-client.ts';
import { pingRequest } from '../ping-request.ts';

const MAX_BODY_BYTES = 16 * 1024;

/** A ping with the key that is refused for what it says. */
const refused = (name: string, request: SmokeRequest, code: ErrorCode): Check => ({
  name,
  run: async ({ sendWithKey }) => {
    expectProblem(await sendWithKey(request), code);
    return `${errorDefinition(code).status} ${code}`;
  },
});

/** A body that is no JSON. */
export const malformedJson = refused('malformed JSON', pingRequest('{'), 'INVALID_REQUEST');

/** An Idempotency-Key with a space in it. */
export const badIdempotencyKey = refused(
  'bad Idempotency-Key',
  pingRequest('{}', { 'Idempotency-Key': 'two words' }),
  'INVALID_IDEMPOTENCY_KEY',
);

/** A body that is not declared to be JSON. */
export const badMediaType = refused(
  'bad media type',
  pingRequest('{}', { 'Content-Type': 'text/plain' }),
  'UNSUPPORTED_MEDIA_TYPE',
);

/** A body one byte too long. No JSON either: a service that takes it all the same has nothing to charge for. */
export const bodyTooLarge = refused('body too large', pingRequest('x'.repeat(MAX_BODY_BYTES + 1)), 'PAYLOAD_TOO_LARGE');
