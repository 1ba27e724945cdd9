import * as v from 'valibot';
import { PORTAL_ERRORS, type PortalErrorCode } from './errors.ts';
import { MANAGE_ERRORS, type ManageErrorCode } from './manage-errors.ts';
import { FoundRequest } from './events.ts';
import { AccountId, RequestId } from './ids.ts';
import { KeyId } from './fields.ts';
import { GivenName, upTo } from './values.ts';

/** A refusal or a failure (RFC 9457). */
export const Problem = v.strictObject({
  type: v.string(),
  title: v.string(),
  status: v.number(),
  /** For a person to read. It may change, and never holds input. */
  detail: v.string(),
  ok: v.literal(false),
  code: v.picklist(Object.keys(PORTAL_ERRORS) as PortalErrorCode[]),
  requestId: RequestId,
  /**
   * With `INVALID_REQUEST`: the member of the body, the query parameter or the header that is wrong. Absent: the body
   * as a whole.
   */
  field: v.exactOptional(v.string()),
  /** With `LAST_OWNER` of one's profile: the accounts that would be without an owner. */
  accounts: v.exactOptional(v.array(v.strictObject({ accountId: AccountId, name: GivenName }))),
  /** With `LIMIT_REACHED` of a rotation: the key in its grace that the request must name to end it. */
  ends: v.exactOptional(KeyId),
  /** With `NOT_FOUND` of a request: refusals that were kept in its minute. One of them may stand for it. */
  keptInstead: v.exactOptional(upTo(5, FoundRequest)),
});
export type Problem = v.InferOutput<typeof Problem>;

/** The same for programs. */
export const ManageProblem = v.strictObject({
  ...v.omit(Problem, ['accounts', 'keptInstead']).entries,
  code: v.picklist(Object.keys(MANAGE_ERRORS) as ManageErrorCode[]),
});
