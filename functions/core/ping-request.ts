import * as v from 'valibot';
import { containsApiKey } from './api-key.ts';
import { GatewayError } from './errors.ts';
import { parseIJsonObject } from './i-json.ts';

/** Largest request body, in bytes after decoding (design, `PAYLOAD_TOO_LARGE`). */
const MAX_BODY_BYTES = 16 * 1024;
/** Visible ASCII, 1 to 255 characters (design, `INVALID_IDEMPOTENCY_KEY`). */
const IDEMPOTENCY_KEY = /^[\x21-\x7E]{1,255}$/;
const MAX_CLIENT_REQUEST_ID_CHARACTERS = 128;
/** RFC 9110, section 8.3.1: the type is case-insensitive; parameters may follow. */
const JSON_MEDIA_TYPE = /^application\/json[ \t]*(?:;|$)/i;

/** The parts of an HTTP request that a ping is read from. */
export interface RawRequest {
  readonly contentType: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly body: Uint8Array;
}

/** A valid ping. */
export interface PingRequest {
  readonly clientRequestId: string | null;
  /** RFC 8785 form of the body. */
  readonly canonicalBody: string;
  readonly idempotencyKey: string | undefined;
}

const PingBody = v.object({
  clientRequestId: v.optional(
    v.pipe(
      v.string('clientRequestId must be a string.'),
      v.check(
        // Code points, as JSON Schema's maxLength counts.
        (text) => Array.from(text).length <= MAX_CLIENT_REQUEST_ID_CHARACTERS,
        `clientRequestId must be at most ${MAX_CLIENT_REQUEST_ID_CHARACTERS} characters.`,
      ),
      v.check((text) => !containsApiKey(text), 'clientRequestId must not hold an API key.'),
    ),
  ),
});

/**
 * Reads a ping, or the refusal it earns. Pure: it can run before the request is authenticated and its refusal be held
 * back. Order: 413, empty 400, 415, then 400 (API Gateway gives an empty POST a Content-Type of its own, so emptiness
 * is judged before the type).
 */
export function parsePingRequest({ contentType, idempotencyKey, body }: RawRequest): PingRequest | GatewayError {
  if (body.byteLength > MAX_BODY_BYTES) return new GatewayError('PAYLOAD_TOO_LARGE');
  if (body.byteLength === 0) return invalid('The request body is empty; send at least {}.');
  if (contentType === undefined || !JSON_MEDIA_TYPE.test(contentType)) {
    return new GatewayError('UNSUPPORTED_MEDIA_TYPE');
  }
  if (idempotencyKey !== undefined && !IDEMPOTENCY_KEY.test(idempotencyKey)) {
    return new GatewayError('INVALID_IDEMPOTENCY_KEY');
  }
  const text = decodeUtf8(body);
  if (text === undefined) return invalid('The request body is not valid UTF-8.');
  const json = parseIJsonObject(text);
  if (!json.ok) return invalid(json.reason);
  const ping = v.safeParse(PingBody, json.value, { abortEarly: true });
  if (!ping.success) return invalid(ping.issues[0].message);
  return { clientRequestId: ping.output.clientRequestId ?? null, canonicalBody: json.canonical, idempotencyKey };
}

const invalid = (detail: string): GatewayError => new GatewayError('INVALID_REQUEST', { detail });

// A byte order mark is kept, so that the JSON parser refuses it (RFC 8259, section 8.1).
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
