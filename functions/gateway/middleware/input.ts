import { readMeteredRequest } from '../../shared/request/metered-request.ts';
import type { MeteredOperation } from '../../shared/request/operation.ts';
import type { GatewayMiddleware } from './request-state.ts';

/**
 * Reads and checks the input. It runs before authentication, which reads the replay record of the Idempotency-Key in
 * its one round trip. It refuses nothing: a refusal of the input comes after 401, 403 and 429, by `validInput`.
 *
 * @example
 *   middyChain(handler).use(input({ operation: ping }));
 */
export function input({ operation }: { readonly operation: MeteredOperation }): GatewayMiddleware<never, 'input'> {
  return {
    before: ({ event, context }) => {
      context.state.input = readMeteredRequest(operation, {
        contentType: event.headers['content-type'],
        idempotencyKey: event.headers['idempotency-key'],
        body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
      });
    },
  };
}
