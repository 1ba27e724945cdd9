import type { Hono } from 'hono';
import * as v from 'valibot';
import { AUDIT_ACTIONS } from '../accounts/audit/audit.ts';
import { beginAuditPart, completeAuditPart } from '../accounts/audit/audit-csv.ts';
import { auditPage, peopleOf, readRecentAudit, type AuditFilter } from '../accounts/audit/recent-audit.ts';
import { listMembers } from '../accounts/team/stored-members.ts';
import { allFulfilled } from '../shared/rules/fulfilled.ts';
import { declares } from './declares.ts';
import type { PortalEnvironment } from './environment.ts';
import { continued, cursorOf, Limited, nextCursor, Span } from './list-query.ts';
import { pathId } from './paths.ts';
import { askedByOwner } from './reads.ts';
import type { AuthorityDependencies } from './session/authority.ts';

const AUDIT = '/api/accounts/:accountId/audit';

const Wanted = v.object({
  action: v.optional(v.picklist(AUDIT_ACTIONS, `Give one of ${AUDIT_ACTIONS.join(', ')}.`)),
  actor: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^((mem|tok)_[0-9A-Za-z]{16}|operator|former)$/, 'Give the id of a member or token, operator or former.'),
    ),
  ),
});

const listSchema = (accountId: string) =>
  v.pipe(
    v.intersect([Span, Limited, continued(accountId), Wanted]),
    v.transform(({ limit, ...wanted }): AuditFilter => ({ ...filterOf(wanted), limit })),
  );
const exportSchema = (accountId: string) =>
  v.pipe(v.intersect([Span, continued(accountId), Wanted]), v.transform(filterOf));

const filterOf = ({
  since,
  until,
  cursor,
  ...wanted
}: v.InferOutput<typeof Span> & v.InferOutput<ReturnType<typeof continued>> & v.InferOutput<typeof Wanted>): Omit<
  AuditFilter,
  'limit'
> => ({ ...wanted, span: { sinceMs: since, untilMs: until }, before: cursor });

/** The changes of an account, for its owners. */
export function auditRoutes(app: Hono<PortalEnvironment>, dependencies: AuthorityDependencies): void {
  app.get(AUDIT, declares({ writes: ['USED/READS'] }), async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store, query: filter } = await askedByOwner(c, dependencies, listSchema(accountId));
    const [reading, members] = await allFulfilled([
      readRecentAudit(store, accountId, filter),
      Array.fromAsync(listMembers(store, accountId)),
    ]);
    const { events, next } = auditPage(reading, members, filter);
    return c.json({ events: await peopleOf(store, members)(events), cursor: nextCursor(accountId, next) });
  });

  app.get(`${AUDIT}.csv`, declares({ writes: ['USED/READS'] }), async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store, query: filter } = await askedByOwner(c, dependencies, exportSchema(accountId));
    const [begun, members] = await allFulfilled([
      beginAuditPart(store, accountId, filter),
      Array.fromAsync(listMembers(store, accountId)),
    ]);
    const { csv, next } = await completeAuditPart(store, accountId, filter, members, begun);
    c.header('Content-Disposition', `attachment; filename="audit-${accountId}.csv"`);
    if (next !== undefined) c.header('X-Next-Cursor', cursorOf(accountId, next));
    return c.body(csv, 200, { 'Content-Type': 'text/csv' });
  });
}
