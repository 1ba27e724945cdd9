// Generated from openapi.yaml by `npm run generate`; do not edit.
import type { GatewayError } from './types.ts';

export const ERRORS: readonly GatewayError[] = [
  {
    "code": "INVALID_REQUEST",
    "status": 400,
    "title": "Invalid request",
    "detail": "The request body is not valid.",
    "meaning": "The body was not a valid request.",
    "todo": "Send one JSON object, `{}` at least; the `detail` of the answer says what is wrong."
  },
  {
    "code": "INVALID_IDEMPOTENCY_KEY",
    "status": 400,
    "title": "Invalid Idempotency-Key",
    "detail": "The Idempotency-Key header must be 1 to 255 visible ASCII characters.",
    "meaning": "The Idempotency-Key was not usable.",
    "todo": "Use 1 to 255 visible ASCII characters, such as a UUID."
  },
  {
    "code": "MISSING_API_KEY",
    "status": 401,
    "title": "API key missing",
    "detail": "Send the API key in the header Authorization: Bearer <API_KEY>.",
    "meaning": "No key was sent.",
    "todo": "Send it in the header `Authorization: Bearer <API_KEY>`."
  },
  {
    "code": "INVALID_API_KEY",
    "status": 401,
    "title": "API key invalid",
    "detail": "The Authorization header does not hold a valid API key.",
    "meaning": "What was sent is no key of this gateway.",
    "todo": "Check it for a typing error and for quotes, and that it is not empty; the scheme is `Bearer`."
  },
  {
    "code": "API_KEY_REVOKED",
    "status": 401,
    "title": "API key revoked",
    "detail": "This API key was revoked. Create a new one in the portal.",
    "meaning": "The key was revoked.",
    "todo": "Create a new key, and find who still uses this one."
  },
  {
    "code": "API_KEY_EXPIRED",
    "status": 401,
    "title": "API key expired",
    "detail": "This API key has expired. Create a new one in the portal.",
    "meaning": "The key has expired, or was replaced by a rotation.",
    "todo": "Use the key that replaced it, or create a new one."
  },
  {
    "code": "INSUFFICIENT_SCOPE",
    "status": 403,
    "title": "Insufficient scope",
    "detail": "This API key lacks the scope sandbox:invoke.",
    "meaning": "The key may not do this.",
    "todo": "Use a key with the scope `sandbox:invoke`, as every key from the portal has."
  },
  {
    "code": "KEY_MODE_MISMATCH",
    "status": 403,
    "title": "Wrong key mode",
    "detail": "The sandbox takes test keys only; this is a live key.",
    "meaning": "A live key was sent to the sandbox.",
    "todo": "Use a test key."
  },
  {
    "code": "PROJECT_SUSPENDED",
    "status": 403,
    "title": "Project suspended",
    "detail": "The project of this API key is not active.",
    "meaning": "The project of the key is suspended or closed.",
    "todo": "Ask the platform team why it is suspended. One that was closed in the portal is so for good; use another."
  },
  {
    "code": "NOT_FOUND",
    "status": 404,
    "title": "Not found",
    "detail": "There is no such path.",
    "meaning": "There is no such path.",
    "todo": "Correct the path."
  },
  {
    "code": "METHOD_NOT_ALLOWED",
    "status": 405,
    "title": "Method not allowed",
    "detail": "This path does not take this method; the Allow header lists those it takes.",
    "meaning": "The path does not take this method.",
    "todo": "Use a method that the `Allow` header lists."
  },
  {
    "code": "IDEMPOTENCY_CONFLICT",
    "status": 409,
    "title": "Idempotency-Key already used",
    "detail": "This Idempotency-Key was used for a different request. Use a new one.",
    "meaning": "The Idempotency-Key was used before, for a different request.",
    "todo": "Use a new Idempotency-Key for a new request."
  },
  {
    "code": "PAYLOAD_TOO_LARGE",
    "status": 413,
    "title": "Payload too large",
    "detail": "The request body is over 16384 bytes.",
    "meaning": "The body was too large.",
    "todo": "Send at most 16 KiB (16,384 bytes)."
  },
  {
    "code": "UNSUPPORTED_MEDIA_TYPE",
    "status": 415,
    "title": "Unsupported media type",
    "detail": "The Content-Type must be application/json.",
    "meaning": "The body was not marked as JSON.",
    "todo": "Send `Content-Type: application/json`."
  },
  {
    "code": "RATE_LIMIT_EXCEEDED",
    "status": 429,
    "title": "Rate limit exceeded",
    "detail": "This API key has used up its requests of this minute. Retry after the seconds in Retry-After.",
    "meaning": "The key had used up its requests of that minute.",
    "todo": "Wait as many seconds as `Retry-After` says: the rest of the minute, at most two minutes more when clocks differ. Spread requests over the minute."
  },
  {
    "code": "QUOTA_EXCEEDED",
    "status": 429,
    "title": "Quota exceeded",
    "detail": "The project has used up its request units of this period.",
    "meaning": "The project had fewer units left in the period than the operation costs.",
    "todo": "Wait for the next period, which begins after as many seconds as `Retry-After` says, or ask the platform team for a higher quota."
  },
  {
    "code": "INTERNAL_ERROR",
    "status": 500,
    "title": "Internal error",
    "detail": "The gateway failed. Quote the requestId when you report it.",
    "meaning": "The gateway failed.",
    "todo": "Report it with the `requestId`."
  },
  {
    "code": "SERVICE_UNAVAILABLE",
    "status": 503,
    "title": "Service unavailable",
    "detail": "The gateway cannot reach its store. Retry with the same Idempotency-Key.",
    "meaning": "The gateway could not reach its store.",
    "todo": "Send it again with the same Idempotency-Key, after as many seconds as `Retry-After` says."
  }
];
