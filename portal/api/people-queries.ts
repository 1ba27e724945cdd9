import { queryOptions } from '@tanstack/react-query';
import type { Audit, AuditEvent, AuditQuery, AuditValues } from '../../functions/portal/contract/audit.ts';
import type { Invitations } from '../../functions/portal/contract/invitations.ts';
import type { OwnSession } from '../../functions/portal/contract/session.ts';
import { answer, api } from './client.ts';
import { readPart, type CsvAnswer } from './csv-part.ts';
import { SLOWLY_MS } from './queries.ts';

export type { AuditEvent, AuditValues, OwnSession };
export type AuditAction = AuditEvent['action'];
/** A page of invitations, newest first; the cursor of the next one. */
export type InvitationPage = Invitations;

/** The requested changes, as in the address. The portal checks them. */
export type AuditFilter = Readonly<Partial<Record<'actor' | 'action' | 'since' | 'until', string | undefined>>>;
/** A page of changes, newest first; the cursor of the next, older one. */
export type AuditPage = Audit;

/** The number of changes that are read at once. */
const AUDIT_PAGE = 50;
/** The number of empty pages that are read in a row, before the reader is asked whether to continue. */
const EMPTY_PAGES = 5;

/** The sessions of the signed-in person, the last active first. */
export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => (await answer(api.GET('/api/sessions', { signal }))).sessions,
  refetchInterval: SLOWLY_MS,
});

/** The next page that is not `isEmpty`. An empty one with a cursor comes only after several pages in a row. */
async function readOn<Page extends { readonly cursor: string | null }>(
  cursor: string | undefined,
  read: (cursor: { readonly cursor?: string }) => Promise<Page>,
  isEmpty: (page: Page) => boolean,
): Promise<Page> {
  let next = cursor;
  for (let pages = 1; ; pages++) {
    const page = await read(next === undefined ? {} : { cursor: next });
    if (!isEmpty(page) || page.cursor === null || pages === EMPTY_PAGES) return page;
    next = page.cursor;
  }
}

/** The next invitations. */
export const readInvitations = (cursor: string): Promise<InvitationPage> =>
  readOn(
    cursor,
    (query) => answer(api.GET('/api/invitations', { params: { query } })),
    ({ invitations }) => invitations.length === 0,
  );

/** One invitation, by its account, as in the link of its mail. It counts as a read. */
export const invitationQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['invitation', accountId],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/invitations/{accountId}', { params: { path: { accountId } }, signal })),
  });

/** Which mails the owners of an account get. */
export const ownerMailsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['account', accountId, 'mails'],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/accounts/{accountId}/mails', { params: { path: { accountId } }, signal })),
  });

/** When the owners of an account are told of quotas and expiries. */
export const thresholdsQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['account', accountId, 'thresholds'],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/accounts/{accountId}/thresholds', { params: { path: { accountId } }, signal })),
  });

/** The newest changes of a filter. They are read again when the page opens. */
export const auditQuery = (accountId: string, filter: AuditFilter) =>
  queryOptions({
    queryKey: ['account', accountId, 'audit', filter],
    queryFn: ({ signal }) => readAudit(accountId, filter, { signal }),
    // Older pages follow this page, so it is not read again while they are shown.
    staleTime: Infinity,
    gcTime: 0,
  });

/** The next changes. */
export const readAudit = (
  accountId: string,
  filter: AuditFilter,
  { cursor, signal = null }: { readonly cursor?: string; readonly signal?: AbortSignal | null } = {},
): Promise<AuditPage> =>
  readOn(
    cursor,
    (at) => {
      const params = { path: { accountId }, query: { ...(filter as AuditQuery), limit: AUDIT_PAGE, ...at } };
      return answer(api.GET('/api/accounts/{accountId}/audit', { params, signal }));
    },
    ({ events }) => events.length === 0,
  );

/** A part of the changes of a filter, as a table. */
export function readAuditCsv(
  accountId: string,
  asked: AuditFilter & { readonly cursor?: string },
  signal: AbortSignal,
): Promise<CsvAnswer> {
  const params = { path: { accountId }, query: asked as AuditQuery };
  return readPart(signal, (options) => api.GET('/api/accounts/{accountId}/audit.csv', { params, ...options }));
}
