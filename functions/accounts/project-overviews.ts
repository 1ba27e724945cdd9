import { accountItemKey } from './account-items.ts';
import { countActiveKeys, readActiveKeys, type ActiveKeysItem } from './active-keys.ts';
import type { ControlPlane } from './control-plane.ts';
import { isWithin } from './callers.ts';
import { noSuchProject, readQuotaUsed, type StoredProject } from './stored-projects.ts';
import { isSharded } from '../core/quota-shards.ts';
import { besideCheck } from '../store/beside.ts';
import { itemsFrom, readTogether } from '../store/items.ts';
import { counterOf, type CounterItem } from '../store/quota-counter.ts';
import { itemKey, type ItemKey } from '../store/table-items.ts';

/** A project as its people see it. */
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
  /** When its newest request came that left an event; null: there is none. */
  readonly lastRequest: string | null;
}

/** Reads when a project got its last request: usage, which tells of accounts, is above this room. */
type LastRequestReader = (plane: ControlPlane, projectId: string) => Promise<string | null>;

/** The projects of an account that are not closed, in the order of their ids. Two sequential reads, three with shards. */
export async function listProjectOverviews(
  plane: ControlPlane,
  accountId: string,
  periodId: string,
  readLastRequest: LastRequestReader,
): Promise<ProjectOverview[]> {
  const projectIds: string[] = [];
  for await (const { projectId, closedAt } of itemsFrom(plane, itemKey.accountProject(accountId, ''))) {
    if (closedAt === undefined) projectIds.push(projectId as string);
  }
  return readOverviews(plane, projectIds, periodId, readLastRequest);
}

/** One of them, in one read, two with shards. Throws `ControlPlaneError` when there is none in the account. */
export async function readProjectOverview(
  plane: ControlPlane,
  projectId: string,
  periodId: string,
  readLastRequest: LastRequestReader,
): Promise<ProjectOverview> {
  const read = readTogether(plane, keysOf(projectId, periodId)).then((found) => {
    const [project, quota, active] = found as ProjectItems;
    if (!isShown(plane, project)) throw noSuchProject(projectId);
    return [project, quota, active] as const;
  });
  const [items, lastRequest] = await besideCheck(plane, read, (own) => readLastRequest(own, projectId));
  return overviewOf(plane, periodId, items, lastRequest);
}

async function readOverviews(
  plane: ControlPlane,
  projectIds: readonly string[],
  periodId: string,
  readLastRequest: LastRequestReader,
): Promise<ProjectOverview[]> {
  const overviews: ProjectOverview[] = [];
  for (let i = 0; i < projectIds.length; i += PROJECTS_AT_ONCE) {
    const some = projectIds.slice(i, i + PROJECTS_AT_ONCE);
    const [items, lastRequests] = await Promise.all([
      readTogether(
        plane,
        some.flatMap((projectId) => keysOf(projectId, periodId)),
      ),
      Promise.all(some.map((projectId) => readLastRequest(plane, projectId))),
    ]);
    const found = some.flatMap((_, j) => {
      const [project, quota, active] = items.slice(3 * j) as ProjectItems;
      // Closed between the two reads.
      if (!isShown(plane, project)) return [];
      return [overviewOf(plane, periodId, [project, quota, active], lastRequests[j] ?? null)];
    });
    overviews.push(...(await Promise.all(found)));
  }
  return overviews;
}

/** In one read of at most 100 items. A person makes fewer; operators may make more. */
const PROJECTS_AT_ONCE = 33;

type ProjectItems = [StoredProject?, CounterItem?, ActiveKeysItem?];

const keysOf = (projectId: string, periodId: string): ItemKey[] => [
  itemKey.project(projectId),
  itemKey.quota(projectId, periodId),
  accountItemKey.activeKeys(projectId),
];

const isShown = (plane: ControlPlane, project: StoredProject | undefined): project is StoredProject =>
  project !== undefined && project.status !== 'closed' && isWithin(plane, project.accountId);

async function overviewOf(
  plane: ControlPlane,
  period: string,
  [project, quota, active]: readonly [StoredProject, CounterItem | undefined, ActiveKeysItem | undefined],
  lastRequest: string | null,
): Promise<ProjectOverview> {
  const { projectId, name, status, quotaLimit = null, createdAt } = project;
  // A project from before they were counted has no such item.
  const expiries = active?.keys ?? (await readActiveKeys(plane, projectId));
  const activeKeys = countActiveKeys(expiries, plane.clock.now());
  const counter = counterOf(quota);
  const quotaUsed = isSharded(1, counter.layout) ? await readQuotaUsed(plane, projectId, period) : counter.units;
  return { projectId, name, status, quotaLimit, quotaUsed, period, activeKeys, createdAt, lastRequest };
}
