import { GatewayError } from './errors.ts';
import { parseIJsonObject } from './i-json.ts';
import { decodeUtf8, isIdempotencyKey, isJsonMediaType, MAX_BODY_BYTES } from './json-body.ts';
import type { MeteredOperation, OperationInput } from './operation.ts';

/** The parts of an HTTP request that a request to a metered operation is read from. */
export interface RawRequest {
  readonly contentType: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly body: Uint8Array;
}

/** A valid request to a metered operation. */
export interface MeteredRequest {
  /** The body, as the operation reads it. */
  readonly input: OperationInput;
  /** RFC 8785 form of the body. */
  readonly canonicalBody: string;
  readonly idempotencyKey: string | undefined;
}

/**
 * Reads a request to an operation, or the refusal it earns. Pure: it can run before the request is authenticated and
 * its refusal be held back. Order: 413, empty 400, 415, then 400 (API Gateway gives an empty POST a Content-Type of its
 * own, so emptiness is judged before the type).
 */
export function readMeteredRequest(
  { read }: Pick<MeteredOperation, 'read'>,
  { contentType, idempotencyKey, body }: RawRequest,
): MeteredRequest | GatewayError {
  if (body.byteLength > MAX_BODY_BYTES) return new GatewayError('PAYLOAD_TOO_LARGE');
  if (body.byteLength === 0) return invalid('The request body is empty; send at least {}.');
  if (!isJsonMediaType(contentType)) return new GatewayError('UNSUPPORTED_MEDIA_TYPE');
  if (idempotencyKey !== undefined && !isIdempotencyKey(idempotencyKey)) {
    return new GatewayError('INVALID_IDEMPOTENCY_KEY');
  }
  const text = decodeUtf8(body);
  if (text === undefined) return invalid('The request body is not valid UTF-8.');
  const json = parseIJsonObject(text);
  if (!json.ok) return invalid(json.reason);
  const input = read(json.value);
  if (typeof input === 'string') return invalid(input);
  return { input, canonicalBody: json.canonical, idempotencyKey };
}

const invalid = (detail: string): GatewayError => new GatewayError('INVALID_REQUEST', { detail });
