import * as v from 'valibot';
import { AUDIT_ACTIONS } from '../../shared/rules/audit-actions.ts';
import { formed } from './ids.ts';
import { auditCsvQuery, auditQuery } from './requests/audit.ts';
import { AnyCursor } from './requests/lists.ts';
import { CsvPart, OWNERS_READ_CODES, type PortalOperation } from './route.ts';
import { MaybeText, Moment, NextCursor } from './values.ts';

/** Values of the changed attributes. What may name a person is `changed`. */
const AuditValues = v.nullable(
  v.record(v.string(), v.union([MaybeText, v.number(), v.boolean(), v.array(v.string())])),
);
export type AuditValues = v.InferOutput<typeof AuditValues>;

const AuditEvent = v.strictObject({
  at: Moment,
  /**
   * Name of a token, name or address of a member or of who was one and still has a profile; else `former member` or
   * `operator`. It is in no event: it is read when it is asked for, and ends with the profile.
   */
  actor: v.string(),
  actorEmail: MaybeText,
  actorKind: v.picklist(['member', 'former', 'operator', 'token', 'report']),
  /** The present member, or the management token; null: none. */
  actorId: v.nullable(formed(/^(mem|tok)_[0-9A-Za-z]{16}$/)),
  action: v.picklist(AUDIT_ACTIONS),
  /** What was changed. */
  projectId: MaybeText,
  keyId: MaybeText,
  memberId: MaybeText,
  /** Who that is or was, as for `actor`. */
  memberName: MaybeText,
  memberEmail: MaybeText,
  endpointId: MaybeText,
  tokenId: MaybeText,
  /** Null: what was changed was not there yet. */
  before: AuditValues,
  /** Null: what was changed is no longer there. */
  after: AuditValues,
});
export type AuditEvent = v.InferOutput<typeof AuditEvent>;

const Audit = v.strictObject({ events: v.array(AuditEvent), cursor: NextCursor });
export type Audit = v.InferOutput<typeof Audit>;

/** What was changed in an account, newest first. A page reads a bounded number of items: it may be empty and go on. */
export const auditContract = {
  listAudit: {
    query: auditQuery(AnyCursor),
    answers: { 200: Audit },
    refuses: [...OWNERS_READ_CODES, 'INVALID_REQUEST'],
  },
  /** Values are JSON. Ids have present names beside them, at most 500 of each kind; formulas are disarmed. */
  exportAudit: {
    query: auditCsvQuery(AnyCursor),
    answers: { 200: CsvPart },
    refuses: [...OWNERS_READ_CODES, 'INVALID_REQUEST'],
  },
} as const satisfies Record<string, PortalOperation>;
