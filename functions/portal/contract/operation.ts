import * as v from 'valibot';
import type { TokenScope } from '../../shared/choices.ts';
import type { PortalErrorCode } from './errors.ts';
import type { ManageErrorCode } from './manage-errors.ts';

/** A method and a path, with its parameters in braces: `GET /api/accounts/{accountId}`. */
export type RouteName = `${'GET' | 'POST' | 'PATCH' | 'DELETE'} /${string}`;

/**
 * One operation of either API: what it takes and answers. The function checks its requests with `query` and `body`, the
 * page has its types from here, and tests hold every answer to `answers` and to its codes.
 */
interface Operation<Code extends string> {
  readonly route: RouteName;
  /** It may have an `Idempotency-Key`: a repeat answers with the same ids. On another path it is another key. */
  readonly isRepeatable?: true;
  readonly query?: v.GenericSchema;
  /** Absent: the body has no members. */
  readonly body?: v.GenericSchema;
  /** By status. */
  readonly answers: Readonly<Record<number, v.GenericSchema>>;
  /** The codes of its refusals but for those that follow from who may, the method and the path. */
  readonly refuses?: readonly Code[];
}

/** An operation of the page's API. */
export interface PortalOperation extends Operation<PortalErrorCode> {
  /**
   * Who may: anyone; who is signed in; of the account in the path each active member (`viewer`), one who may change
   * things, or an owner. The role of a change is a condition of its transaction.
   */
  readonly by: 'anyone' | 'person' | 'viewer' | 'member' | 'owner';
  /** A POST that changes nothing, to keep its input out of addresses. */
  readonly isRead?: true;
  /** It does not count in the minute of the caller, or its handler decides that. */
  readonly isFree?: true;
  /** Who may send it beside the portal's own page: a navigation from another site, or programs. */
  readonly from?: 'navigation' | 'program';
  /** The status of the answer that may set or delete a cookie. */
  readonly setsCookie?: number;
}

/** An operation of the management API. */
export interface ManageOperation extends Operation<ManageErrorCode> {
  /** What the token must be allowed; null: any token. */
  readonly scope: TokenScope | null;
}

/** What the success of an operation tells; without a body, whatever its handler returns stays there. */
export type AnswerOf<Op extends Pick<PortalOperation, 'answers'>> =
  v.InferOutput<Extract<Op['answers'][keyof Op['answers']], v.GenericSchema>> extends infer Body
    ? [Body] extends [undefined]
      ? unknown
      : Told<Body>
    : never;
/** The same for whoever only reads it. */
type Told<T> = T extends object ? { readonly [Name in keyof T]: Told<T[Name]> } : T;

/** The method and the path of an operation. */
export const partsOf = ({ route }: { readonly route: RouteName }): [method: string, path: string] =>
  route.split(' ') as [string, string];

/** Whether an operation changes nothing. */
export const isRead = ({ route, isRead: reads }: Pick<PortalOperation, 'route' | 'isRead'>): boolean =>
  reads === true || route.startsWith('GET ');

/** An answer without a body. */
export const Empty = v.undefined();
/** A table (RFC 4180), as a file with a name. */
export const Csv = v.string();
/** A part of a table. `X-Next-Cursor` is the `cursor` of the next part; absent: this is the last. */
export const CsvPart = v.string();

/** Any request may fail. */
const FAIL_CODES = ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'] as const;
/** A body of the wrong form. */
export const BODY_CODES = ['INVALID_REQUEST', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const;
/** A creation: a limit, a key of another request, or what the same key made has changed since. */
export const CREATION_CODES = ['LIMIT_REACHED', 'IDEMPOTENCY_CONFLICT', 'CHANGED_MEANWHILE'] as const;

/** The codes of an operation's refusals and failures. */
export function codesOf(operation: PortalOperation): PortalErrorCode[] {
  const { route, by, isFree, from, query, refuses = [] } = operation;
  const [isOpen, isPersonal] = [by === 'anyone', by === 'person'];
  const isChange = !isRead(operation);
  return [
    ...FAIL_CODES,
    ...(from === undefined ? (['CROSS_SITE_REQUEST'] as const) : []),
    ...(isOpen ? [] : (['NOT_SIGNED_IN'] as const)),
    ...(isOpen || isFree ? [] : (['TOO_MANY_REQUESTS'] as const)),
    ...(isOpen || route.startsWith('GET ') ? [] : BODY_CODES),
    ...(!isOpen && query ? (['INVALID_REQUEST'] as const) : []),
    // What belongs to others is answered as what does not exist.
    ...(!isOpen && route.includes('{') ? (['NOT_FOUND'] as const) : []),
    ...(by === 'owner' ? (['OWNER_ONLY'] as const) : []),
    ...(by === 'member' ? (['MEMBER_ONLY'] as const) : []),
    // Somebody may have just changed the same.
    ...(isChange && !isOpen && !isPersonal ? (['CHANGED_MEANWHILE'] as const) : []),
    ...refuses,
  ];
}

/** The same of an operation for programs. */
export function manageCodesOf({ route, scope, query, refuses = [] }: ManageOperation): ManageErrorCode[] {
  const isChange = !route.startsWith('GET ');
  return [
    ...FAIL_CODES,
    'MISSING_TOKEN',
    'INVALID_TOKEN',
    'TOKEN_REVOKED',
    'TOKEN_EXPIRED',
    'RATE_LIMIT_EXCEEDED',
    ...(scope === null ? [] : (['INSUFFICIENT_SCOPE'] as const)),
    ...(route.includes('{') ? (['NOT_FOUND'] as const) : []),
    ...(query ? (['INVALID_REQUEST'] as const) : []),
    ...(isChange ? ([...BODY_CODES, 'INVALID_IDEMPOTENCY_KEY', 'CHANGED_MEANWHILE'] as const) : []),
    ...refuses,
  ];
}
