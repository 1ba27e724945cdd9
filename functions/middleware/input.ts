import { GatewayError } from '../core/errors.ts';
import { replayKey } from '../core/fingerprint.ts';
import type { Operation } from '../core/operation.ts';
import { parsePingRequest } from '../core/ping-request.ts';
import type { CheckedInput, GatewayMiddleware, HttpEvent } from './request-state.ts';

/**
 * Reads the request before anything is known of its sender, and keeps what comes of it: authentication wants the
 * Idempotency-Key for its one round trip, but a refusal of the input ranks behind 401, 403 and 429.
 */
export function parseInput(operation: Operation): GatewayMiddleware {
  return {
    before: ({ event, context }) => {
      context.state.input = readInput(event, operation);
    },
  };
}

/** Refuses, in its turn, what {@link parseInput} found wrong. */
export function checkInput(): GatewayMiddleware {
  return {
    before: ({ context }) => {
      if (context.state.input instanceof GatewayError) throw context.state.input;
    },
  };
}

function readInput(event: HttpEvent, operation: Operation): CheckedInput | GatewayError {
  const ping = parsePingRequest({
    contentType: event.headers['content-type'],
    idempotencyKey: event.headers['idempotency-key'],
    body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
  });
  if (ping instanceof GatewayError || ping.idempotencyKey === undefined) return ping;
  return { ...ping, replayKey: replayKey(operation, ping.idempotencyKey, ping.canonicalBody) };
}
