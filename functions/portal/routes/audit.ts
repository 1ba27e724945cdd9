import * as v from 'valibot';
import { beginAuditPart, completeAuditPart } from '../../accounts/audit/audit-csv.ts';
import { auditPage, peopleOf, readRecentAudit, type AuditFilter } from '../../accounts/audit/recent-audit.ts';
import { listMembers } from '../../accounts/team/stored-members.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import { auditContract, auditCsvQuery, auditQuery } from '../contract/audit.ts';
import { continued, nextCursor } from '../request/list-query.ts';
import { serve, tableOf, type Known } from '../serve/serve.ts';

const listSchema = ({ id }: Known) =>
  v.pipe(
    auditQuery(continued(id('accountId'))),
    v.transform(({ limit, ...wanted }): AuditFilter => ({ ...filterOf(wanted), limit })),
  );
const exportSchema = ({ id }: Known) => v.pipe(auditCsvQuery(continued(id('accountId'))), v.transform(filterOf));

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
export const auditRoutes = [
  serve(
    auditContract.listAudit,
    async ({ store, accountId, input: filter }) => {
      const [reading, members] = await allFulfilled([
        readRecentAudit(store, accountId, filter),
        Array.fromAsync(listMembers(store, accountId)),
      ]);
      const { events, next } = auditPage(reading, members, filter);
      return { events: await peopleOf(store, members)(events), cursor: nextCursor(accountId, next) };
    },
    listSchema,
  ),

  serve(
    auditContract.exportAudit,
    async ({ c, store, accountId, input: filter }) => {
      const [begun, members] = await allFulfilled([
        beginAuditPart(store, accountId, filter),
        Array.fromAsync(listMembers(store, accountId)),
      ]);
      const { csv, next } = await completeAuditPart(store, accountId, filter, members, begun);
      return tableOf(c, `audit-${accountId}`, csv, nextCursor(accountId, next));
    },
    exportSchema,
  ),
];
