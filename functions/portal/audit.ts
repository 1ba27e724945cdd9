import type { Hono } from 'hono';
import * as v from 'valibot';
import { AUDIT_ACTIONS } from '../accounts/audit.ts';
import { auditPage, readRecentAudit, type AuditFilter } from '../accounts/recent-audit.ts';
import { countRead } from '../accounts/request-rate.ts';
import { listMembers, requireOwner } from '../accounts/stored-members.ts';
import { allFulfilled } from '../core/fulfilled.ts';
import { declares } from './declares.ts';
import type { PortalEnvironment } from './environment.ts';
import { continued, Limited, nextCursor, Span } from './list-query.ts';
import { pathId } from './paths.ts';
import { askedOfAccount } from './reads.ts';
import type { AuthorityDependencies } from './session/authority.ts';

const querySchema = (accountId: string) =>
  v.pipe(
    v.intersect([
      Span,
      Limited,
      continued(accountId),
      v.object({
        action: v.optional(v.picklist(AUDIT_ACTIONS, `Give one of ${AUDIT_ACTIONS.join(', ')}.`)),
        actor: v.optional(
          v.pipe(
            v.string(),
            v.regex(/^(mem_[0-9A-Za-z]{16}|operator|former)$/, 'Give the id of a member, operator or former.'),
          ),
        ),
      }),
    ]),
    v.transform(({ since, until, cursor, ...wanted }): AuditFilter => ({
      ...wanted,
      span: { sinceMs: since, untilMs: until },
      before: cursor,
    })),
  );

/** The changes of an account, for its owners. */
export function auditRoutes(app: Hono<PortalEnvironment>, dependencies: AuthorityDependencies): void {
  app.get('/api/accounts/:accountId/audit', declares({ writes: ['USED/READS'] }), async (c) => {
    const accountId = pathId(c, 'accountId');
    const { store, query: filter } = await askedOfAccount(c, dependencies, querySchema(accountId));
    // A member who is no owner is refused, and the read is counted.
    await allFulfilled([requireOwner(store), countRead(store)]);
    const [reading, members] = await allFulfilled([
      readRecentAudit(store, accountId, filter),
      Array.fromAsync(listMembers(store, accountId)),
    ]);
    const { events, next } = auditPage(reading, members, filter);
    return c.json({ events, cursor: nextCursor(accountId, next) });
  });
}
