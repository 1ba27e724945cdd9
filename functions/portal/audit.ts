import type { Hono } from 'hono';
import * as v from 'valibot';
import { AUDIT_ACTIONS } from '../accounts/audit.ts';
import { lacking } from '../accounts/callers.ts';
import { auditPage, readRecentAudit, type AuditFilter } from '../accounts/recent-audit.ts';
import { countRead } from '../accounts/request-rate.ts';
import { listMembers } from '../accounts/stored-members.ts';
import { beside } from '../store/beside.ts';
import { declares } from './declares.ts';
import type { PortalEnvironment } from './environment.ts';
import { continued, Limited, nextCursor, readQueryOfPerson, Span } from './list-query.ts';
import { pathId } from './paths.ts';
import { planeOf, readAsMember, type AuthorityDependencies } from './session/authority.ts';

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

/** What was changed in an account, for its owners. */
export function auditRoutes(app: Hono<PortalEnvironment>, dependencies: AuthorityDependencies): void {
  app.get('/api/accounts/:accountId/audit', declares({ writes: ['USER/READS'] }), async (c) => {
    const accountId = pathId(c, 'accountId');
    const filter = await readQueryOfPerson(c, dependencies, querySchema(accountId));
    const { person, membership, data } = await readAsMember(c, dependencies, accountId, (plane) =>
      beside(readRecentAudit(plane, accountId, filter), Array.fromAsync(listMembers(plane, accountId))),
    );
    const [reading, members] = data;
    const { userId } = person.user;
    const self = members.find(({ memberId }) => memberId === membership.memberId);
    const refusal = lacking({ ...self }, userId, 'owner');
    if (refusal) throw refusal;
    await countRead(planeOf(c, dependencies, userId, membership), { userId, limits: dependencies.limits });
    const { events, next } = auditPage(reading, members, filter);
    return c.json({ events, cursor: nextCursor(accountId, next) });
  });
}
