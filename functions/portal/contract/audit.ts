import * as v from 'valibot';
import { AUDIT_ACTIONS } from '../../shared/audit-actions.ts';
import { formed } from './ids.ts';
import { AnyCursor, type Continued, Limited, Span } from './lists.ts';
import { CsvPart, type PortalOperation } from './operation.ts';
import { MaybeText, Moment, NextCursor } from './values.ts';

/** Only changes of this kind; by this member or token, by the platform team, or by people who are members no more. */
const Wanted = v.object({
  action: v.optional(v.picklist(AUDIT_ACTIONS, `Give one of ${AUDIT_ACTIONS.join(', ')}.`)),
  actor: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^((mem|tok)_[0-9A-Za-z]{16}|operator|former)$/, 'Give the id of a member or token, operator or former.'),
    ),
  ),
});

/** The query of the list. */
export const auditQuery = (cursor: Continued) => v.intersect([Span, Limited, cursor, Wanted]);
/** The query of the table. */
export const auditCsvQuery = (cursor: Continued) => v.intersect([Span, cursor, Wanted]);
export type AuditQuery = v.InferInput<ReturnType<typeof auditQuery>>;

/** Values of the changed attributes. What may name a person is `changed`. */
const AuditValues = v.nullable(
  v.record(v.string(), v.union([MaybeText, v.number(), v.boolean(), v.array(v.string())])),
);
export type AuditValues = v.InferOutput<typeof AuditValues>;

/** Who makes changes; `former`: who was a member; `operator`: the platform team. */
export const ACTOR_KINDS = ['member', 'former', 'operator', 'token', 'report'] as const;

const AuditEvent = v.strictObject({
  at: Moment,
  /**
   * Name of a token, name or address of a member or of who was one and still has a profile; else `former member` or
   * `operator`. It is in no event: it is read when it is asked for, and ends with the profile.
   */
  actor: v.string(),
  actorEmail: MaybeText,
  actorKind: v.picklist(ACTOR_KINDS),
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
    route: 'GET /api/accounts/{accountId}/audit',
    by: 'owner',
    query: auditQuery(AnyCursor),
    answers: { 200: Audit },
  },
  /** Values are JSON. Ids have present names beside them, at most 500 of each kind; formulas are disarmed. */
  exportAudit: {
    route: 'GET /api/accounts/{accountId}/audit.csv',
    by: 'owner',
    query: auditCsvQuery(AnyCursor),
    answers: { 200: CsvPart },
  },
} as const satisfies Record<string, PortalOperation>;
