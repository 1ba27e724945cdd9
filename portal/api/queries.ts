import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { answer, api } from './client.ts';
import { PortalError } from './problem.ts';
import type { components } from './types.ts';

type Schemas = components['schemas'];
export type Session = Schemas['Session'];
export type Account = Schemas['OwnAccount'];
export type Invitation = Schemas['Invitation'];
export type Member = Schemas['Member'];
export type Role = Schemas['Role'];
export type Project = Schemas['Project'];
export type Key = Schemas['Key'];

/** How long what was read is shown without reading it again when a page opens. */
export const FRESH_MS = 5_000;
/** The same of what does not change by itself. */
const ENDED_FRESH_MS = 300_000;
/** How often lists that others change are read again while they are looked at. */
export const SLOWLY_MS = 30_000;

/** The same of what counts as a read, and is one of many parts of a page. */
export const ATTENTION_MS = 60_000;

const SESSION = ['session'];

/** Who is signed in; null: nobody. */
export const sessionQuery = queryOptions({
  queryKey: SESSION,
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      return await answer(api.GET('/api/session', { signal }));
    } catch (error) {
      if (error instanceof PortalError && error.code === 'NOT_SIGNED_IN') return null;
      throw error;
    }
  },
  staleTime: SLOWLY_MS,
  // Roles and invitations are others' to change.
  refetchInterval: SLOWLY_MS,
});

/** Notes that there is no session any more: every page makes room for the sign-in. */
export const noteSignedOut = (client: QueryClient): void => void client.setQueryData(SESSION, null);

/**
 * What a refusal says of who asked holds for the whole page: there is no session any more; or the role or the membership
 * is not what it was.
 */
export function handleRefusal(client: QueryClient, error: Error): void {
  if (!(error instanceof PortalError)) return;
  if (error.code === 'NOT_SIGNED_IN') noteSignedOut(client);
  const isAboutMembership = error.code === 'NOT_FOUND' || error.code === 'OWNER_ONLY';
  if (isAboutMembership) void client.invalidateQueries({ queryKey: SESSION }, { cancelRefetch: false });
}

/** Reads the session again, after a change of what belongs to the person; the page shows it when this resolves. */
export async function refreshSession(client: QueryClient): Promise<void> {
  await client.invalidateQueries({ queryKey: SESSION });
  // Those who show it are told in a task of their own, which comes before this one.
  await new Promise((resolve) => setTimeout(resolve));
}

/** Reads everything of an account again that is on the page. */
export const refreshAccount = (client: QueryClient, accountId: string): Promise<void> =>
  client.invalidateQueries({ queryKey: ['account', accountId] });

/** Reads everything again that is on the page, of whichever account. */
export const refreshAccounts = (client: QueryClient): Promise<void> =>
  client.invalidateQueries({ queryKey: ['account'] });

/** Some projects of an account, and the cursor of the next page. */
export type ProjectPage = Schemas['Projects'];

/** Projects of an account: all of them where there are fifty at most, else the first page or the one behind a cursor. */
export const projectPageQuery = (accountId: string, cursor?: string) =>
  queryOptions({
    queryKey: ['account', accountId, 'projects', ...(cursor === undefined ? [] : ['after', cursor])],
    queryFn: ({ signal }): Promise<ProjectPage> => {
      const params = { path: { accountId }, query: cursor === undefined ? {} : { cursor } };
      return answer(api.GET('/api/accounts/{accountId}/projects', { params, signal }));
    },
    staleTime: FRESH_MS,
    refetchInterval: SLOWLY_MS,
  });

/** The first of them, without the cursor. */
export const projectsQuery = (accountId: string) =>
  queryOptions({ ...projectPageQuery(accountId), select: ({ projects }) => projects });

export type Attention = Schemas['Attention'];

/** Keys and refusals of an account that somebody should look at. It counts as a read. */
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

/** Whether keys go on, or were revoked or have expired. */
export type KeyState = 'active' | 'ended';
/** Some keys of a project, and the cursor of the next page. */
export type KeyPage = Schemas['Keys'];

/** Keys that are read at once: all that people can have active, unless the stage says otherwise. */
const KEYS_READ: Readonly<Record<KeyState, number>> = { active: 200, ended: 50 };
/** Pages without a single key that are read in a row: keys from before there were pages are of both states. */
const EMPTY_KEY_PAGES = 5;

/** The keys of a project in a state: the first page, or the one behind a cursor. */
export async function readKeys(
  { accountId, projectId }: { readonly accountId: string; readonly projectId: string },
  state: KeyState,
  { cursor, signal = null }: { readonly cursor?: string; readonly signal?: AbortSignal | null } = {},
): Promise<KeyPage> {
  let next = cursor;
  for (let pages = 1; ; pages++) {
    const query = { state, limit: KEYS_READ[state], ...(next !== undefined && { cursor: next }) };
    const params = { path: { accountId, projectId }, query };
    const page = await answer(api.GET('/api/accounts/{accountId}/projects/{projectId}/keys', { params, signal }));
    if (page.keys.length > 0 || page.cursor === null || pages === EMPTY_KEY_PAGES) return page;
    next = page.cursor;
  }
}

/** The first page of the keys of a project in a state. */
export const keyPageQuery = (accountId: string, projectId: string, state: KeyState) =>
  queryOptions({
    queryKey: ['account', accountId, 'projects', projectId, 'keys', state],
    queryFn: ({ signal }) => readKeys({ accountId, projectId }, state, { signal }),
    // To look at those that have ended counts as a read, and nothing becomes of them.
    staleTime: state === 'active' ? FRESH_MS : ENDED_FRESH_MS,
    refetchInterval: state === 'active' && SLOWLY_MS,
  });

/** The keys of a project that go on, the newest first. */
export const keysQuery = (accountId: string, projectId: string) =>
  queryOptions({ ...keyPageQuery(accountId, projectId, 'active'), select: newestFirst });

const newestFirst = ({ keys }: KeyPage): Key[] =>
  keys.toSorted((one, other) => (one.createdAt < other.createdAt ? 1 : -1));

/** The keys of a project that ended last: for their names, where what they did is shown. */
export const endedKeysQuery = (accountId: string, projectId: string) =>
  queryOptions({ ...keyPageQuery(accountId, projectId, 'ended'), select: ({ keys }) => keys });

/** How often what a key does now is read again; with its requests, live, below the limit of reads. */
const KEY_MS = 10_000;

/** How often while not all of it is summed: the portal goes on from where it was. */
const GO_ON_MS = 3_000;

/** One key, with what it has done; read again soon, so that its rate and its rotation can be watched. */
export const keyQuery = (accountId: string, projectId: string, keyId: string) =>
  queryOptions({
    queryKey: ['account', accountId, 'projects', projectId, 'keys', 'one', keyId],
    queryFn: ({ signal }) => {
      const params = { path: { accountId, projectId, keyId } };
      return answer(api.GET('/api/accounts/{accountId}/projects/{projectId}/keys/{keyId}', { params, signal }));
    },
    staleTime: FRESH_MS,
    refetchInterval: ({ state: { data, error } }) => {
      // What is not there does not come back.
      if (error !== null) return error instanceof PortalError && error.code === 'NOT_FOUND' ? false : SLOWLY_MS;
      const isSummed = data?.usage.complete !== false && data?.sinceRotation?.complete !== false;
      return isSummed ? KEY_MS : GO_ON_MS;
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
