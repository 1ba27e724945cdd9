import type { Hono } from 'hono';
import * as v from 'valibot';
import { beginAuditPart, completeAuditPart } from '../../accounts/audit/audit-csv.ts';
import { auditPage, peopleOf, readRecentAudit, type AuditFilter } from '../../accounts/audit/recent-audit.ts';
import { listMembers } from '../../accounts/team/stored-members.ts';
import { allFulfilled } from '../../shared/rules/fulfilled.ts';
import { auditCsvQuery, auditQuery } from '../contract/requests/audit.ts';
import { ROUTES } from '../contract/requests/routes.ts';
import { COUNTED_READ } from '../writes.ts';
import type { PortalEnvironment } from '../hono-context.ts';
import { addRoute } from '../known-routes.ts';
import { continued, cursorOf, nextCursor } from '../list-query.ts';
import { pathId } from '../paths.ts';
import { authorizeOwner } from '../reads.ts';
import type { AuthorityDependencies } from '../session/authority.ts';

const listSchema = (accountId: string) =>
  v.pipe(
    auditQuery(continued(accountId)),
    v.transform(({ limit, ...wanted }): AuditFilter => ({ ...filterOf(wanted), limit })),
  );
const exportSchema = (accountId: string) => v.pipe(auditCsvQuery(continued(accountId)), v.transform(filterOf));

const filterOf = ({
  since,
  until,
  cursor,
  ...wanted
}: v.InferOutput<ReturnType<typeof auditCsvQuery>>): Omit<AuditFilter, 'limit'> => ({
  ...wanted,
  span: { sinceMs: since, untilMs: until },
  before: cursor,
});

/** The changes of an account, for its owners. */
export function auditRoutes(app: Hono<PortalEnvironment>, dependencies: AuthorityDependencies): void {
  addRoute(app, ROUTES.listAudit, COUNTED_READ, async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store, query: filter } = await authorizeOwner(c, dependencies, listSchema(accountId));
    const [reading, members] = await allFulfilled([
      readRecentAudit(store, accountId, filter),
      Array.fromAsync(listMembers(store, accountId)),
    ]);
    const { events, next } = auditPage(reading, members, filter);
    return c.json({ events: await peopleOf(store, members)(events), cursor: nextCursor(accountId, next) });
  });

  addRoute(app, ROUTES.exportAudit, COUNTED_READ, async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store, query: filter } = await authorizeOwner(c, dependencies, exportSchema(accountId));
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
