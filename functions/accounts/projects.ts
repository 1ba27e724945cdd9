import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { generateProjectId } from '../core/api-key.ts';
import { isoTime } from '../core/clock.ts';
import { noSuchAccount } from './accounts.ts';
import { audited, type AuditAction } from './audit.ts';
import { commit, ControlPlaneError, create, requireItem, type ControlPlane } from './control-plane.ts';
import { edit, told } from './edits.ts';
import { itemsFrom, readItem, readItems } from '../store/items.ts';
import { available } from '../store/client.ts';
import { itemKey, names, type ItemKey } from '../store/table-items.ts';

/** A project: what the quota counts for. */
export interface ProjectDetails {
  readonly name: string;
  readonly accountId: string;
  /** Request units per period, 0 to 10⁹; undefined: not enforced. */
  readonly quotaLimit: number | undefined;
}

/** A project as stored. */
export interface StoredProject extends Omit<ProjectDetails, 'quotaLimit'> {
  readonly projectId: string;
  readonly quotaLimit?: number;
  readonly status: 'active' | 'suspended';
  readonly createdAt: string;
}

/** What can be changed of a project; absent: stays as it is. */
export interface ProjectChanges {
  readonly name?: string | undefined;
  readonly quota?: number | 'none' | undefined;
}

/** Creates a project in an account and returns its id. Throws `ControlPlaneError` for an unknown account. */
export async function createProject(plane: ControlPlane, project: ProjectDetails): Promise<string> {
  const { accountId, name, quotaLimit } = project;
  const projectId = generateProjectId(plane.randomBytes);
  const createdAt = isoTime(plane.clock.now());
  const status = 'active';
  const created = told({ name, quotaLimit, status });
  await commit(plane, [
    requireItem(plane, itemKey.account(accountId), noSuchAccount(accountId)),
    create(plane, { ...itemKey.project(projectId), projectId, ...project, status, createdAt }),
    create(plane, { ...itemKey.accountProject(accountId, projectId), projectId }),
    await audited(plane, 'project.create', { accountId, projectId }, { before: null, after: created }),
  ]);
  return projectId;
}

/** Changes name, quota or both, from the next request on. Throws `ControlPlaneError` for an unknown project. */
export const updateProject = (
  plane: ControlPlane,
  projectId: string,
  changes: ProjectChanges,
): Promise<StoredProject> =>
  editProject(plane, projectId, 'project.update', ({ name, quotaLimit }) => ({
    name: changes.name ?? name,
    quotaLimit: changes.quota === undefined ? quotaLimit : changes.quota === 'none' ? undefined : changes.quota,
  }));

/** Refuses the project's requests from the next one on. A suspended project stays as it is. */
export const suspendProject = (plane: ControlPlane, projectId: string): Promise<StoredProject> =>
  editProject(plane, projectId, 'project.suspend', () => ({ status: 'suspended' }));

/** Ends a suspension, from the next request on. An active project stays as it is. */
export const resumeProject = (plane: ControlPlane, projectId: string): Promise<StoredProject> =>
  editProject(plane, projectId, 'project.resume', () => ({ status: 'active' }));

const editProject = (
  plane: ControlPlane,
  projectId: string,
  action: AuditAction,
  decide: (project: StoredProject) => Partial<Record<'name' | 'quotaLimit' | 'status', string | number | undefined>>,
): Promise<StoredProject> =>
  edit<StoredProject>(plane, {
    key: itemKey.project(projectId),
    what: `Project ${projectId}`,
    absent: noSuchProject(projectId),
    action,
    subject: ({ accountId }) => ({ accountId, projectId }),
    decide,
  });

/** One project. Throws `ControlPlaneError` when there is none. */
export async function readProject(plane: ControlPlane, projectId: string): Promise<StoredProject> {
  const project = await readItem<StoredProject>(plane, itemKey.project(projectId));
  if (!project) throw new ControlPlaneError(noSuchProject(projectId));
  return project;
}

/** Units of a project on the quota counter of a period, such as `2026-11`. */
export async function readQuotaUsed(plane: ControlPlane, projectId: string, periodId: string): Promise<number> {
  return (await readItem<{ units: number }>(plane, itemKey.quota(projectId, periodId)))?.units ?? 0;
}

/** Throws `ControlPlaneError` unless the project exists. */
export async function requireProject(plane: ControlPlane, projectId: string): Promise<void> {
  await readProject(plane, projectId);
}

/** The projects of these accounts, account after account, read page by page as they are taken. */
export const readProjects = (
  plane: ControlPlane,
  accountIds: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<StoredProject> => readItems<StoredProject>(plane, projectKeys(plane, accountIds));

async function* projectKeys(
  plane: ControlPlane,
  accountIds: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<ItemKey> {
  for await (const accountId of accountIds) {
    for await (const projectId of listAccountProjects(plane, accountId)) yield itemKey.project(projectId);
  }
}

/** The ids of an account's projects, in their order, read page by page as they are taken; none for an unknown account. */
export async function* listAccountProjects(plane: ControlPlane, accountId: string): AsyncGenerator<string> {
  for await (const { projectId } of itemsFrom(plane, itemKey.accountProject(accountId, ''))) yield projectId as string;
}

/**
 * The ids of all projects that have an item or a quota counter, whether a list names them or not, in no order, read page
 * by page as they are taken. Reads, and is charged for, the whole Gateway table.
 */
export async function* listEveryProject({ client, tables }: ControlPlane): AsyncGenerator<string> {
  const { pk: prefix, sk } = itemKey.project('');
  const pages = paginateScan(
    { client },
    {
      TableName: tables.gateway,
      FilterExpression: 'begins_with(#pk, :prefix) AND (#sk = :project OR begins_with(#sk, :quota))',
      ProjectionExpression: '#pk',
      ExpressionAttributeNames: names('pk', 'sk'),
      ExpressionAttributeValues: { ':prefix': prefix, ':project': sk, ':quota': itemKey.quota('', '').sk },
      ConsistentRead: true,
    },
  );
  let last: unknown;
  for (;;) {
    const page = await available(pages.next());
    if (page.done === true) return;
    for (const { pk } of page.value.Items ?? []) {
      // The items of a partition follow each other.
      if (pk !== last) yield String(pk).slice(prefix.length);
      last = pk;
    }
  }
}

/** What an operator is told of an unknown project. */
export const noSuchProject = (projectId: string): string => `There is no project ${projectId}.`;
