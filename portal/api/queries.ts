import { queryOptions, type QueryClient } from '@tanstack/react-query';
import type { OwnAccount } from '../../functions/portal/contract/accounts.ts';
import type { Attention } from '../../functions/portal/contract/attention.ts';
import type { Invitation } from '../../functions/portal/contract/invitations.ts';
import type { Key, Keys } from '../../functions/portal/contract/keys.ts';
import type { Member } from '../../functions/portal/contract/members.ts';
import type { Project, Projects } from '../../functions/portal/contract/projects.ts';
import type { Session } from '../../functions/portal/contract/session.ts';
import { byName } from '../text/names.ts';
import { answer, api } from './client.ts';
import { keepTyped } from './kept-words.ts';
import { PortalError } from './problem.ts';

export type { Attention, Invitation, Member, OwnAccount as Account, Project, Session };
export type Role = OwnAccount['role'];

/** A project, of an account. */
export interface ProjectIds {
  readonly accountId: string;
  readonly projectId: string;
}

/** How long data is shown without reading it again when a page opens. */
export const FRESH_MS = 5_000;
/** The same for data that does not change by itself. */
const ENDED_FRESH_MS = 300_000;
/** How often lists that others change are read again while they are shown. */
export const SLOWLY_MS = 30_000;

/** The same for a counted read that is one of many parts of a page. */
export const ATTENTION_MS = 60_000;

const SESSION = ['session'];

/** The person for whom the page has read. */
let reader: string | undefined;

/** Deletes what was read for another person, who was signed in before: sign-ins beside this page do not load it anew. */
function noteReader(client: QueryClient, userId: string): void {
  if (reader !== undefined && reader !== userId) {
    client.removeQueries({ predicate: ({ queryKey: [of] }) => of !== SESSION[0] });
  }
  reader = userId;
}

/** The signed-in person. Null: nobody. */
export const sessionQuery = queryOptions({
  queryKey: SESSION,
  queryFn: async ({ client, signal }): Promise<Session | null> => {
    try {
      const session = await answer(api.GET('/api/session', { signal }));
      noteReader(client, session.user.userId);
      return session;
    } catch (error) {
      if (!(error instanceof PortalError) || error.code !== 'NOT_SIGNED_IN') throw error;
      keepTyped();
      return null;
    }
  },
  staleTime: SLOWLY_MS,
  // Others can change roles and invitations. Nobody's session changes by itself: it is read again with the page.
  refetchInterval: ({ state }) => state.data !== null && SLOWLY_MS,
});

/** Marks the session as ended: every page is replaced by the sign-in. */
function noteSignedOut(client: QueryClient): void {
  keepTyped();
  client.setQueryData(SESSION, null);
}

/**
 * A refusal about the caller concerns the whole page: the session has ended, or the role or the membership has changed.
 */
export function handleRefusal(client: QueryClient, error: Error): void {
  if (!(error instanceof PortalError)) return;
  if (error.code === 'NOT_SIGNED_IN') noteSignedOut(client);
  const isAboutMembership = ['NOT_FOUND', 'OWNER_ONLY', 'MEMBER_ONLY'].includes(error.code);
  if (isAboutMembership) void client.invalidateQueries({ queryKey: SESSION }, { cancelRefetch: false });
}

/** Reads the session again, after a change of the person's data. The page shows it when this resolves. */
export async function refreshSession(client: QueryClient): Promise<void> {
  await client.invalidateQueries({ queryKey: SESSION });
  // The components that read it are notified in a separate task, which runs before this one.
  await new Promise((resolve) => setTimeout(resolve));
}

/** Reads all data of accounts on the page again; the other is only marked as old. */
export const refreshAccounts = (client: QueryClient, refetchType: 'active' | 'none' = 'active'): Promise<void> =>
  client.invalidateQueries({ queryKey: ['account'], refetchType });

/** Some projects of an account, and the cursor of the next page. */
export type ProjectPage = Projects;

/** Projects of an account: all of them if there are at most fifty, else the first page or the one after a cursor. */
export const projectPageQuery = (accountId: string, cursor?: string) =>
  queryOptions({
    queryKey: ['account', accountId, 'projects', ...(cursor === undefined ? [] : ['after', cursor])],
    queryFn: async ({ signal }): Promise<ProjectPage> => {
      const params = { path: { accountId }, query: cursor === undefined ? {} : { cursor } };
      const page = await answer(api.GET('/api/accounts/{accountId}/projects', { params, signal }));
      // They come in the order of their ids, which are random.
      return { ...page, projects: page.projects.toSorted(byName) };
    },
    staleTime: FRESH_MS,
    refetchInterval: SLOWLY_MS,
  });

/** The first page, without the cursor. */
export const projectsQuery = (accountId: string) =>
  queryOptions({ ...projectPageQuery(accountId), select: ({ projects }) => projects });

/** Keys and refusals of an account that need attention. It counts as a read. */
export const attentionQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['account', accountId, 'attention'],
    queryFn: ({ signal }) =>
      answer(api.GET('/api/accounts/{accountId}/attention', { params: { path: { accountId } }, signal })),
    staleTime: FRESH_MS,
    refetchInterval: ATTENTION_MS,
  });

/** One project. */
export const projectQuery = (accountId: string, projectId: string) =>
  queryOptions({
    queryKey: ['account', accountId, 'projects', projectId],
    queryFn: ({ signal }) => {
      const params = { path: { accountId, projectId } };
      return answer(api.GET('/api/accounts/{accountId}/projects/{projectId}', { params, signal }));
    },
    staleTime: FRESH_MS,
    refetchInterval: SLOWLY_MS,
  });

/** Whether keys are active, or were revoked or have expired. */
export type KeyState = 'active' | 'ended';
/** Some keys of a project, and the cursor of the next page. */
export type KeyPage = Keys;

/** The number of keys that are read at once: all active keys that people can have, by the default limit. */
const KEYS_READ: Readonly<Record<KeyState, number>> = { active: 200, ended: 50 };

/** The keys of a project in a state: the first page, or the one after a cursor. */
export function readKeys(
  ids: ProjectIds,
  state: KeyState,
  { cursor, signal = null }: { readonly cursor?: string; readonly signal?: AbortSignal | null } = {},
): Promise<KeyPage> {
  const query = { state, limit: KEYS_READ[state], ...(cursor !== undefined && { cursor }) };
  const params = { path: ids, query };
  return answer(api.GET('/api/accounts/{accountId}/projects/{projectId}/keys', { params, signal }));
}

/** The first page of the keys of a project in a state. */
export const keyPageQuery = (accountId: string, projectId: string, state: KeyState) =>
  queryOptions({
    queryKey: ['account', accountId, 'projects', projectId, 'keys', state],
    queryFn: ({ signal }) => readKeys({ accountId, projectId }, state, { signal }),
    // A list of ended keys counts as a read, and does not change.
    staleTime: state === 'active' ? FRESH_MS : ENDED_FRESH_MS,
    refetchInterval: state === 'active' && SLOWLY_MS,
  });

/** The active keys of a project, the newest first. */
export const keysQuery = (accountId: string, projectId: string) =>
  queryOptions({ ...keyPageQuery(accountId, projectId, 'active'), select: newestFirst });

const newestFirst = ({ keys }: KeyPage): Key[] =>
  keys.toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1));

/** The keys of a project that ended last: for their names in lists of requests. */
export const endedKeysQuery = (accountId: string, projectId: string) =>
  queryOptions({ ...keyPageQuery(accountId, projectId, 'ended'), select: ({ keys }) => keys });

/** How often the figures of a key are read again. With its live requests this stays below the limit of reads. */
const KEY_MS = 10_000;

/** How often while its sums are not complete. The portal continues where it was. */
const KEY_SUMS_MS = 3_000;

/** One key with its usage. It is read again often, so that its rate and its rotation can be watched. */
export const keyQuery = (accountId: string, projectId: string, keyId: string) =>
  queryOptions({
    queryKey: ['account', accountId, 'projects', projectId, 'keys', 'one', keyId],
    queryFn: ({ signal }) => {
      const params = { path: { accountId, projectId, keyId } };
      return answer(api.GET('/api/accounts/{accountId}/projects/{projectId}/keys/{keyId}', { params, signal }));
    },
    staleTime: FRESH_MS,
    refetchInterval: ({ state: { data, error } }) => {
      // Something that does not exist is not read again: it does not come back.
      if (error !== null) return error instanceof PortalError && error.code === 'NOT_FOUND' ? false : SLOWLY_MS;
      const isSummed = data?.usage.complete !== false && data?.sinceRotation?.complete !== false;
      return isSummed ? KEY_MS : KEY_SUMS_MS;
    },
  });

/** The members of an account, invited ones included. */
export const membersQuery = (accountId: string) =>
  queryOptions({
    queryKey: ['account', accountId, 'members'],
    queryFn: async ({ signal }) => {
      const params = { path: { accountId } };
      const { members } = await answer(api.GET('/api/accounts/{accountId}/members', { params, signal }));
      return members;
    },
    staleTime: FRESH_MS,
    refetchInterval: SLOWLY_MS,
  });
