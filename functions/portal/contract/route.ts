import * as v from 'valibot';
import type { PortalErrorCode } from '../errors.ts';

/**
 * What a route of the portal's API takes and answers. The function checks its request with `query` and `body`, the page
 * has its types from here, and tests hold every answer to `answers` and `refuses`.
 */
export interface PortalOperation<Code extends string = PortalErrorCode> {
  /** It may have an `Idempotency-Key`: a repeat answers with the same ids. On another path it is another key. */
  readonly isRepeatable?: true;
  readonly query?: v.GenericSchema;
  /** Absent: the body has no members. */
  readonly body?: v.GenericSchema;
  /** By status. */
  readonly answers: Readonly<Record<number, v.GenericSchema>>;
  /** The status of the answer that may set or delete a cookie. */
  readonly setsCookie?: number;
  /** Codes of refusals and failures. */
  readonly refuses: readonly Code[];
}

/** The same with its place. */
export interface Route<Code extends string = PortalErrorCode> extends PortalOperation<Code> {
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
}

/** An answer without a body. */
export const Empty = v.undefined();
/** A table (RFC 4180), as a file with a name. */
export const Csv = v.string();
/** A part of a table. `X-Next-Cursor` is the `cursor` of the next part; absent: this is the last. */
export const CsvPart = v.string();

/** Any request may fail. */
export const FAIL_CODES = ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'] as const;
/** A body of the wrong form. */
export const BODY_CODES = ['INVALID_REQUEST', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const;
/** A read of one's own. */
export const READ_CODES = [...FAIL_CODES, 'NOT_SIGNED_IN', 'CROSS_SITE_REQUEST'] as const;
/** The same, counted. */
export const COUNTED_READ_CODES = [...READ_CODES, 'TOO_MANY_REQUESTS'] as const;
/** Any change by a person. */
export const CHANGE_CODES = [...COUNTED_READ_CODES, ...BODY_CODES] as const;
/** A read of one thing, which for everybody else does not exist. */
export const FIND_CODES = [...READ_CODES, 'NOT_FOUND'] as const;
/** The same, counted. */
export const COUNTED_FIND_CODES = [...COUNTED_READ_CODES, 'NOT_FOUND'] as const;
/** A read for owners. It is counted. */
export const OWNERS_READ_CODES = [...COUNTED_FIND_CODES, 'OWNER_ONLY'] as const;
/** A change in an account, by members. Somebody may have just changed the same. */
export const MEMBERS_CHANGE_CODES = [...CHANGE_CODES, 'NOT_FOUND', 'MEMBER_ONLY', 'CHANGED_MEANWHILE'] as const;
/** The same, by owners. */
export const OWNERS_CHANGE_CODES = [...CHANGE_CODES, 'NOT_FOUND', 'OWNER_ONLY', 'CHANGED_MEANWHILE'] as const;
/** A creation: a limit, a key of another request, or what the same key made has changed since. */
export const CREATION_CODES = ['LIMIT_REACHED', 'IDEMPOTENCY_CONFLICT', 'CHANGED_MEANWHILE'] as const;
