import { GatewayError } from '../../shared/rules/errors.ts';
import { replayKey, readMeteredRequest } from '../../shared/rules/metered-request.ts';
import type { MeteredOperation } from '../../shared/rules/operation.ts';
import type { CheckedInput, GatewayMiddleware, HttpEvent } from './request-state.ts';

/**
 * Reads the input before authentication, and stores the valid input or its refusal. Authentication needs the
 * Idempotency-Key, because it reads the replay record in its one round trip. But a refusal of the input comes after
 * 401, 403 and 429, in {@link checkInput}.
 */
export function parseInput({ operation }: { readonly operation: MeteredOperation }): GatewayMiddleware {
  return {
    before: ({ event, context }) => {
      context.state.input = readInput(event, operation);
    },
  };
}

/** Refuses, after authentication, the input that {@link parseInput} found invalid. */
export function checkInput(): GatewayMiddleware {
  return {
    before: ({ context }) => {
      if (context.state.input instanceof GatewayError) throw context.state.input;
    },
  };
}

function readInput(event: HttpEvent, operation: MeteredOperation): CheckedInput | GatewayError {
  const request = readMeteredRequest(operation, {
    contentType: event.headers['content-type'],
    idempotencyKey: event.headers['idempotency-key'],
    body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
  });
  if (request instanceof GatewayError || request.idempotencyKey === undefined) return request;
  return { ...request, replayKey: replayKey(operation, request.idempotencyKey, request.canonicalBody) };
}
