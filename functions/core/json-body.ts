/** What the gateway and the portal ask of a request with a JSON body alike. */

/** Largest request body, in bytes after decoding (`PAYLOAD_TOO_LARGE`). */
export const MAX_BODY_BYTES = 16 * 1024;
/** Visible ASCII, 1 to 255 characters. */
const IDEMPOTENCY_KEY = /^[\x21-\x7E]{1,255}$/;
/** RFC 9110, section 8.3.1: the type is case-insensitive; parameters may follow. */
const JSON_MEDIA_TYPE = /^application\/json[ \t]*(?:;|$)/i;

/** Whether a text has the form of an Idempotency-Key. */
export const isIdempotencyKey = (text: string): boolean => IDEMPOTENCY_KEY.test(text);

/** Whether a `Content-Type` is JSON's; none is not. */
export const isJsonMediaType = (contentType: string | undefined): boolean => JSON_MEDIA_TYPE.test(contentType ?? '');

// A byte order mark is kept, so that the JSON parser refuses it (RFC 8259, section 8.1).
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Bytes as text; undefined: they are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
