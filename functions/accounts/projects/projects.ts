import { generateProjectId } from '../../shared/credentials/api-key.ts';
import { isoTime, periodAt, type QuotaPeriod } from '../../shared/time.ts';
import { moveCounts, noSuchAccount } from '../team/account-counts.ts';
import { accountItemKey } from '../store/account-items.ts';
import { noActiveKeys } from './active-keys.ts';
import { audited, auditValues } from '../authority/audit.ts';
import { edit, type Edit } from '../authority/edit.ts';
import { changeAs, doneBefore, maySeeAccount } from '../authority/authority.ts';
import { create } from '../store/transact.ts';
import { RefusedError } from '../store/refusals.ts';
import type { Change, AccountStore } from '../store/account-store.ts';
import { counted } from '../store/counters.ts';
import { creationOf, markedBy, orRepeated, unlessRepeated } from '../store/idempotency.ts';
import { replaceAttributes } from '../store/writes.ts';
import { closedProject, noSuchProject, type ProjectDetails, type StoredProject } from './stored-projects.ts';
import { itemKey } from '../../shared/store/items.ts';

/** The changes of a project; absent: unchanged. */
export interface ProjectChanges {
  readonly name?: string | undefined;
  readonly quota?: number | 'none' | undefined;
  /** The number of shards of its quota, 1 to 32; 1: a single counter. */
  readonly shards?: number | undefined;
}

/**
 * Creates a project in an account and returns its id. A person's repeat under one Idempotency-Key returns the same id.
 * Throws `RefusedError` for an unknown account, and above a limit of the caller.
 *
 * @param quotaPeriod of the stage: the projects that people make in one period are limited
 */
export async function createProject(
  store: AccountStore,
  project: ProjectDetails,
  idempotencyKey?: string,
  quotaPeriod: QuotaPeriod = 'month',
): Promise<string> {
  const { accountId, name, quotaLimit } = project;
  const asked = await creationOf(store, ['project', accountId], { name }, idempotencyKey);
  const projectId = generateProjectId(asked.ids);
  const creation = changeAs(store, 'member', async () => {
    if (!maySeeAccount(store, accountId)) throw noSuchAccount(accountId);
    const createdAt = isoTime(store.clock.now());
    const status = 'active';
    const item = { ...itemKey.project(projectId), projectId, ...project, status, createdAt };
    const listed = { ...itemKey.accountProject(accountId, projectId), projectId, ...markedBy(asked) };
    const changes = [
      // First in order. It holds the mark of the creation. The project itself does not, since every request of its keys
      // reads it.
      create(store, listed, unlessRepeated(asked)),
      create(store, item),
      moveCounts(store, accountId, { by: { projects: 1 } }),
      ...madeInPeriod(store, accountId, quotaPeriod),
      noActiveKeys(store, projectId),
      await audited(
        store,
        'project.create',
        { accountId, projectId },
        { before: null, after: auditValues({ name, quotaLimit, status }) },
      ),
    ];
    return { result: projectId, changes };
  });
  return orRepeated(creation, () => doneBefore(store, 'member', projectId));
}

/**
 * Counts a project that a person makes; closing it does not reduce the count. Each project has the quota of a whole
 * period. Otherwise a person could close a used-up project, make another one, and have no limit.
 */
function madeInPeriod(store: AccountStore, accountId: string, quotaPeriod: QuotaPeriod): Change[] {
  if (!store.caller) return [];
  const { projectsPerPeriod: limit } = store.caller.limits;
  const { id, endsAtEpochSeconds } = periodAt(store.clock.now(), quotaPeriod);
  const counter = { key: accountItemKey.projectsMade(accountId, id), limit, endEpochSeconds: endsAtEpochSeconds };
  const line = `There were ${limit} projects made in the account in ${id}, which is the limit.`;
  return [counted(store, counter, () => new RefusedError(line, { code: 'LIMIT_REACHED', publicDetail: ALL_MADE }))];
}

const ALL_MADE =
  'This account has made as many projects in this period of the quota as it may, closed ones included. Wait for the next ' +
  'period, or ask the platform team.';

/**
 * Changes name, quota and shards. The next request makes a new layout for the rest of the quota. Throws `RefusedError`
 * for an unknown project.
 */
export const updateProject = (
  store: AccountStore,
  projectId: string,
  changes: ProjectChanges,
): Promise<StoredProject> =>
  editProject(store, projectId, {
    action: 'project.update',
    decide: ({ name, quotaLimit, shards }) => ({
      name: changes.name ?? name,
      quotaLimit: changes.quota === undefined ? quotaLimit : changes.quota === 'none' ? undefined : changes.quota,
      shards: changes.shards === undefined ? shards : changes.shards === 1 ? undefined : changes.shards,
    }),
  });

/** Refuses the project's requests from the next one on. A suspended project is unchanged. */
export const suspendProject = (store: AccountStore, projectId: string): Promise<StoredProject> =>
  editProject(store, projectId, {
    action: 'project.suspend',
    decide: () => ({ status: 'suspended' }),
    derives: () => ({ suspendedAtMs: store.clock.now() }),
  });

/** Ends a suspension, from the next request on. An active project is unchanged. */
export const resumeProject = (store: AccountStore, projectId: string): Promise<StoredProject> =>
  editProject(store, projectId, { action: 'project.resume', decide: () => ({ status: 'active' }) });

/**
 * Closes a project for good. Its requests are refused from the next one on, and its data are kept. People need the role
 * owner.
 */
export const closeProject = (store: AccountStore, projectId: string): Promise<StoredProject> =>
  editProject(store, projectId, {
    action: 'project.close',
    authority: 'owner',
    decide: () => ({ status: 'closed' }),
    alsoWrites: ({ accountId }) => [
      moveCounts(store, accountId, { by: { projects: -1 } }),
      replaceAttributes(store, {
        key: itemKey.accountProject(accountId, projectId),
        what: `Project ${projectId}`,
        seen: {},
        after: { closedAt: isoTime(store.clock.now()) },
      }),
    ],
  });

const editProject = (
  store: AccountStore,
  projectId: string,
  request: Pick<Edit<StoredProject>, 'action' | 'authority' | 'decide' | 'derives' | 'alsoWrites'>,
): Promise<StoredProject> =>
  edit<StoredProject>(store, {
    key: () => itemKey.project(projectId),
    what: `Project ${projectId}`,
    absent: () => noSuchProject(projectId),
    subject: ({ accountId }) => ({ accountId, projectId }),
    ...request,
    decide: (project) => {
      if (project.status === 'closed') throw closedProject(store, projectId);
      return request.decide(project);
    },
    dependsOn: ['name', 'quotaLimit', 'status'],
  });
