import { ERRORS } from '../../shared/http/errors.ts';

/** One error of a catalogue. */
export interface PortalErrorDefinition {
  readonly status: number;
  readonly title: string;
  /** The default `detail`. Fixed text: no input is ever echoed. */
  readonly detail: string;
  /** Whether the same request can succeed later without a change. Its response has `Retry-After`. */
  readonly retryable: boolean;
}

const define = (status: number, title: string, detail: string, retryable = false): PortalErrorDefinition => ({
  status,
  title,
  detail,
  retryable,
});

/** An error of the gateway that is the same here. */
export const asGateway = ({ status, title, detail }: Pick<PortalErrorDefinition, 'status' | 'title' | 'detail'>) =>
  define(status, title, detail);

/** Every error that the portal answers with. A route's contract lists its codes. All codes are defined here. */
export const PORTAL_ERRORS = {
  INVALID_REQUEST: define(400, 'Invalid request', 'The request is not valid.'),
  NOT_SIGNED_IN: define(401, 'Not signed in', 'There is no session, or it has ended. Sign in.'),
  CROSS_SITE_REQUEST: define(403, 'Cross-site request', "Requests are taken from the portal's own page only."),
  OWNER_ONLY: define(403, 'For owners only', 'Only an owner of the account may do this.'),
  MEMBER_ONLY: define(403, 'For members only', 'A viewer changes nothing here. Ask an owner for another role.'),
  NOT_FOUND: define(404, 'Not found', 'There is nothing here.'),
  METHOD_NOT_ALLOWED: asGateway(ERRORS.METHOD_NOT_ALLOWED),
  LIMIT_REACHED: define(409, 'Limit reached', 'There are as many of these as there may be. Remove one first.'),
  LAST_OWNER: define(409, 'Last owner', 'An account keeps at least one active owner. Make another member owner first.'),
  ALREADY_MEMBER: define(409, 'Already a member', 'This address belongs to a member, or is invited already.'),
  KEY_NOT_ACTIVE: define(409, 'Key not active', 'This key was revoked, has expired or has been replaced already.'),
  IDEMPOTENCY_CONFLICT: asGateway(ERRORS.IDEMPOTENCY_CONFLICT),
  CHANGED_MEANWHILE: define(
    409,
    'Changed meanwhile',
    'What this request is about has changed since. Look again before you repeat it.',
  ),
  STILL_COUNTING: define(
    409,
    'Still counting',
    'The requests of this period are not summed yet. Each request sums further; repeat it after the seconds in Retry-After.',
    true,
  ),
  PAYLOAD_TOO_LARGE: asGateway(ERRORS.PAYLOAD_TOO_LARGE),
  UNSUPPORTED_MEDIA_TYPE: asGateway(ERRORS.UNSUPPORTED_MEDIA_TYPE),
  TOO_MANY_REQUESTS: define(
    429,
    'Too many requests',
    'Too many requests in this minute. Retry after the seconds in Retry-After.',
    true,
  ),
  INTERNAL_ERROR: define(500, 'Internal error', 'The portal failed. Quote the requestId when you report it.'),
  SERVICE_UNAVAILABLE: define(
    503,
    'Service unavailable',
    'The portal cannot reach its store. Retry after the seconds in Retry-After.',
    true,
  ),
} as const satisfies Record<string, PortalErrorDefinition>;

/** A code of the catalogue, for the page. */
export type PortalErrorCode = keyof typeof PORTAL_ERRORS;

/** What an error adds to its definition. */
export interface PortalErrorOptions {
  /** Replaces the catalogue's text. Fixed text only, never input. */
  readonly detail?: string;
  /** With `INVALID_REQUEST`: the wrong member of the body, query parameter or header. */
  readonly field?: string | undefined;
  /** With `LAST_OWNER` of a profile: the accounts that would be without an owner. */
  readonly accounts?: readonly { readonly accountId: string; readonly name: string }[];
  /** With a refused rotation: the key in its grace that the request would have to name. */
  readonly ends?: string;
  /** With a request that has no event of its own: refusals of its minute, one of which may stand for it. */
  readonly keptInstead?: readonly unknown[];
  /** Whole seconds; a retryable code without it says 1. */
  readonly retryAfterSeconds?: number;
  /** Further response headers, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal or failure that becomes the response. */
export class PortalError extends Error {
  readonly code: PortalErrorCode;
  readonly options: PortalErrorOptions;

  constructor(code: PortalErrorCode, options: PortalErrorOptions = {}) {
    super(code);
    this.code = code;
    this.options = options;
  }
}
