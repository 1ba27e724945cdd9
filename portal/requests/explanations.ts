/** What a code of the gateway means, and what to do about it. */
interface Explanation {
  readonly meaning: string;
  readonly todo: string;
}

/** Every code of the gateway's contract, `openapi.yaml`; a test compares the two. */
export const EXPLANATIONS: Readonly<Record<string, Explanation>> = {
  INVALID_REQUEST: {
    meaning: 'The body was not a valid request.',
    todo: 'Send one JSON object, {} at least; the detail of the answer says what was wrong with it.',
  },
  INVALID_IDEMPOTENCY_KEY: {
    meaning: 'The Idempotency-Key was not usable.',
    todo: 'Use 1 to 255 visible ASCII characters, such as a UUID.',
  },
  MISSING_API_KEY: {
    meaning: 'No key was sent.',
    todo: 'Send it in the header Authorization: Bearer <key>.',
  },
  INVALID_API_KEY: {
    meaning: 'What was sent is no key of this gateway.',
    todo: 'Check it for a typing error and for quotes; the scheme is Bearer.',
  },
  API_KEY_REVOKED: {
    meaning: 'The key was revoked.',
    todo: 'Create a new key, and find who still uses this one.',
  },
  API_KEY_EXPIRED: {
    meaning: 'The key has expired, or was replaced by a rotation.',
    todo: 'Use the key that replaced it, or create a new one.',
  },
  INSUFFICIENT_SCOPE: {
    meaning: 'The key may not do this.',
    todo: 'Use a key with the scope sandbox:invoke, as every key has that is created here.',
  },
  KEY_MODE_MISMATCH: {
    meaning: 'A live key was sent to the sandbox.',
    todo: 'Use a test key.',
  },
  PROJECT_SUSPENDED: {
    meaning: 'The project is suspended or closed.',
    todo: 'Ask the platform team.',
  },
  NOT_FOUND: {
    meaning: 'There is no such path.',
    todo: 'Mend the path.',
  },
  METHOD_NOT_ALLOWED: {
    meaning: 'The path does not take this method.',
    todo: 'Use a method that the Allow header lists.',
  },
  IDEMPOTENCY_CONFLICT: {
    meaning: 'The Idempotency-Key was used before, for a different request.',
    todo: 'Use a new Idempotency-Key for a new request.',
  },
  PAYLOAD_TOO_LARGE: {
    meaning: 'The body was too large.',
    todo: 'Send at most 16 KiB.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    meaning: 'The body was not marked as JSON.',
    todo: 'Send Content-Type: application/json.',
  },
  RATE_LIMIT_EXCEEDED: {
    meaning: 'The key had used up its requests of that minute.',
    todo: 'Wait for as many seconds as Retry-After says, and spread requests over the minute.',
  },
  QUOTA_EXCEEDED: {
    meaning: 'The project had used up its units of the period.',
    todo: 'Wait for the next period, or ask the platform team for a higher quota.',
  },
  INTERNAL_ERROR: {
    meaning: 'The gateway failed.',
    todo: 'Report it with the id of the request.',
  },
  SERVICE_UNAVAILABLE: {
    meaning: 'The gateway could not reach its store.',
    todo: 'Send it again with the same Idempotency-Key, after as many seconds as Retry-After says.',
  },
};

/** What a code means; undefined for one that is newer than this page. */
export const explanationOf = (code: string): Explanation | undefined => EXPLANATIONS[code];
