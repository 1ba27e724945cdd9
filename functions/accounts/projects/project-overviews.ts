import { accountItemKey } from '../store/account-items.ts';
import { countActiveKeys, type ActiveKeysItem } from './active-keys.ts';
import type { AccountStore } from '../store/account-store.ts';
import { maySeeAccount } from '../authority/authority.ts';
import { readOpenProjects, readProject, readQuotaUsed, type StoredProject } from './stored-projects.ts';
import { allFulfilled } from '../../shared/fulfilled.ts';
import { itemKey } from '../../shared/store/items.ts';
import { readItem, readTogether } from '../../shared/store/tables.ts';

/** Reads the time of a project's last request. It is a parameter, because `usage` imports `accounts`. */
type LastRequestReader = (store: AccountStore, projectId: string) => Promise<string | null>;

/**
 * A page of an account's projects that are not closed, in the order of their ids. Two sequential reads. People make
 * fewer projects than one page has; the platform team may make more.
 *
 * @param after the `next` of the page before
 */
export async function readProjectPage(
  store: AccountStore,
  accountId: string,
  periodId: string,
  readLastRequest: LastRequestReader,
  after?: string,
) {
  const { projectIds, next } = await readOpenProjects(store, accountId, after);
  const [items, figures] = await allFulfilled([
    readTogether(
      store,
      projectIds.flatMap((projectId) => [itemKey.project(projectId), accountItemKey.activeKeys(projectId)]),
    ),
    allFulfilled(projectIds.map((projectId) => readFigures(store, projectId, periodId, readLastRequest))),
  ]);
  const projects: ReturnType<typeof overviewOf>[] = [];
  for (const [i, figuresOfOne] of figures.entries()) {
    const [project, active] = items.slice(2 * i) as [StoredProject?, ActiveKeysItem?];
    // A project may have been closed between the two reads.
    if (!project || project.status === 'closed' || !maySeeAccount(store, project.accountId)) continue;
    projects.push(overviewOf(store, project, { ...figuresOfOne, expiries: active?.keys ?? {} }));
  }
  return { projects, next };
}

/** One project, in two sequential reads. Throws `RefusedError` when the account has no such project. */
export async function readProjectOverview(
  store: AccountStore,
  projectId: string,
  periodId: string,
  readLastRequest: LastRequestReader,
) {
  const project = await readProject(store, projectId);
  const [active, figures] = await allFulfilled([
    readItem<ActiveKeysItem>(store, accountItemKey.activeKeys(projectId)),
    readFigures(store, projectId, periodId, readLastRequest),
  ]);
  return overviewOf(store, project, { ...figures, expiries: active?.keys ?? {} });
}

/** The figures of a project that are not in its item. The quota takes one query, with or without shards. */
async function readFigures(store: AccountStore, projectId: string, period: string, readLastRequest: LastRequestReader) {
  const [quotaUsed, lastRequest] = await allFulfilled([
    readQuotaUsed(store, projectId, period),
    readLastRequest(store, projectId),
  ]);
  return { quotaUsed, period, lastRequest };
}

/** A project for display to the members of its account. */
function overviewOf(
  store: AccountStore,
  project: StoredProject,
  { expiries, ...figures }: Awaited<ReturnType<typeof readFigures>> & { readonly expiries: ActiveKeysItem['keys'] },
) {
  const { projectId, name, status, quotaLimit = null, createdAt } = project;
  const activeKeys = countActiveKeys(expiries, store.clock.now());
  return { projectId, name, status, quotaLimit, createdAt, activeKeys, ...figures };
}
