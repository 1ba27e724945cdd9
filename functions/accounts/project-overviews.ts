import { accountItemKey } from './account-items.ts';
import { countActiveKeys, readActiveKeys, type ActiveKeysItem } from './active-keys.ts';
import type { AccountStore } from './account-store.ts';
import { isWithin } from './changes.ts';
import { listOpenProjects, readProject, readQuotaUsed, type StoredProject } from './stored-projects.ts';
import { allFulfilled } from '../core/fulfilled.ts';
import { readItem, readTogether, itemKey } from '../store/items.ts';

/** A project for display to the members of its account. */
export interface ProjectOverview {
  readonly projectId: string;
  readonly name: string;
  readonly status: StoredProject['status'];
  /** Request units per period; null: not enforced. */
  readonly quotaLimit: number | null;
  readonly quotaUsed: number;
  /** The period that the quota counts in, such as `2026-11`. */
  readonly period: string;
  readonly activeKeys: number;
  readonly createdAt: string;
  /** The time of its newest request with an event; null: there is none. */
  readonly lastRequest: string | null;
}

/** Reads the time of a project's last request. It is a parameter, because `usage` imports `accounts`. */
type LastRequestReader = (store: AccountStore, projectId: string) => Promise<string | null>;

/** The projects of an account that are not closed, in the order of their ids. Two sequential reads. */
export async function listProjectOverviews(
  store: AccountStore,
  accountId: string,
  periodId: string,
  readLastRequest: LastRequestReader,
): Promise<ProjectOverview[]> {
  const projectIds = await Array.fromAsync(listOpenProjects(store, accountId));
  const overviews: ProjectOverview[] = [];
  for (let i = 0; i < projectIds.length; i += PROJECTS_AT_ONCE) {
    const some = projectIds.slice(i, i + PROJECTS_AT_ONCE);
    const [items, figures] = await allFulfilled([
      readTogether(
        store,
        some.flatMap((projectId) => [itemKey.project(projectId), accountItemKey.activeKeys(projectId)]),
      ),
      allFulfilled(some.map((projectId) => readFigures(store, projectId, periodId, readLastRequest))),
    ]);
    for (const [j, figuresOfOne] of figures.entries()) {
      const [project, active] = items.slice(2 * j) as [StoredProject?, ActiveKeysItem?];
      // A project may have been closed between the two reads.
      if (!project || project.status === 'closed' || !isWithin(store, project.accountId)) continue;
      overviews.push(
        overviewOf(store, project, { ...figuresOfOne, expiries: await expiriesOf(store, project, active) }),
      );
    }
  }
  return overviews;
}

/** One project, in two sequential reads. Throws `RefusedError` when the account has no such project. */
export async function readProjectOverview(
  store: AccountStore,
  projectId: string,
  periodId: string,
  readLastRequest: LastRequestReader,
): Promise<ProjectOverview> {
  const project = await readProject(store, projectId);
  const [active, figures] = await allFulfilled([
    readItem<ActiveKeysItem>(store, accountItemKey.activeKeys(projectId)),
    readFigures(store, projectId, periodId, readLastRequest),
  ]);
  return overviewOf(store, project, { ...figures, expiries: await expiriesOf(store, project, active) });
}

/** For one read of at most 100 items. People make fewer projects; the platform team may make more. */
const PROJECTS_AT_ONCE = 50;

/** The figures of a project that are not in its item. The quota takes one query, with or without shards. */
async function readFigures(store: AccountStore, projectId: string, period: string, readLastRequest: LastRequestReader) {
  const [quotaUsed, lastRequest] = await allFulfilled([
    readQuotaUsed(store, projectId, period),
    readLastRequest(store, projectId),
  ]);
  return { quotaUsed, period, lastRequest };
}

/** An older project without an item for its active keys. */
const expiriesOf = async (store: AccountStore, { projectId }: StoredProject, active: ActiveKeysItem | undefined) =>
  active?.keys ?? (await readActiveKeys(store, projectId));

function overviewOf(
  store: AccountStore,
  project: StoredProject,
  { expiries, ...figures }: Awaited<ReturnType<typeof readFigures>> & { readonly expiries: ActiveKeysItem['keys'] },
): ProjectOverview {
  const { projectId, name, status, quotaLimit = null, createdAt } = project;
  const activeKeys = countActiveKeys(expiries, store.clock.now());
  return { projectId, name, status, quotaLimit, createdAt, activeKeys, ...figures };
}
