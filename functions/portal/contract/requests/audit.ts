import * as v from 'valibot';
import { AUDIT_ACTIONS } from '../../../shared/rules/audit-actions.ts';
import { type Continued, Limited, Span } from './lists.ts';

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
