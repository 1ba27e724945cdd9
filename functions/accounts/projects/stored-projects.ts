import { paginateScan } from '@aws-sdk/lib-dynamodb';
import { maySeeAccount } from '../authority/authority.ts';
import type { Change, AccountStore } from '../store/account-store.ts';
import { conditionOf, SHOWS_PRESENT } from '../store/writes.ts';
import { not, present } from '../store/expressions.ts';
import { RefusedError, notFound } from '../store/refusals.ts';
import { unitsUsed } from '../../shared/request/quota-shards.ts';
import { availablePages, NO_DEADLINE } from '../../shared/store/client.ts';
import { CAP_UNITS_PREFIX, itemKey, PROJECT_PREFIX, QUOTA_PREFIX, type ItemKey } from '../../shared/store/items.ts';
import { itemsFrom, readItem, readItems, names } from '../../shared/store/tables.ts';
import { readQuotaCounter } from '../../shared/store/quota-counter.ts';

/** The details of a project. The quota counts for the project. */
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
  /** The number of shards of its quota, 2 to 32; absent: a single counter. */
  readonly shards?: number;
  /** Only requests of an active project are served; a closed one stays closed. */
  readonly status: 'active' | 'suspended' | 'closed';
  readonly createdAt: string;
  /** When it was last suspended; it stays when the project is resumed. Absent from a suspension by an older version. */
  readonly suspendedAtMs?: number;
}

/** For people a closed project does not exist; the platform team sees that it is closed. */
export const closedProject = ({ caller }: AccountStore, projectId: string): RefusedError =>
  caller ? noSuchProject(projectId) : new RefusedError(`Project ${projectId} is closed.`);

/** One project. Throws `RefusedError` when it does not exist, or not for the caller. */
export const readProject = async (store: AccountStore, projectId: string): Promise<StoredProject> =>
  requireShown(store, projectId, await readItem<StoredProject>(store, itemKey.project(projectId)));

/** The same for a project's item that was read already. */
export function requireShown(
  store: AccountStore,
  projectId: string,
  project: StoredProject | undefined,
): StoredProject {
  if (!project || !maySeeAccount(store, project.accountId)) throw noSuchProject(projectId);
  if (store.caller && project.status === 'closed') throw closedProject(store, projectId);
  return project;
}

/** Requires a project to exist and not to be closed, as a part of a change. */
export const requireOpenProject = (store: AccountStore, projectId: string): Change => ({
  write: {
    ConditionCheck: {
      ...conditionOf(store, itemKey.project(projectId), { pk: present, status: not('closed') }),
      ...SHOWS_PRESENT,
    },
  },
  refusal: (stored) => (stored ? closedProject(store, projectId) : noSuchProject(projectId)),
});

/** Units of a project on the quota counter of a period, such as `2026-11`. */
export async function readQuotaUsed(store: AccountStore, projectId: string, periodId: string): Promise<number> {
  const { client, tables, sleep, random, deadline = NO_DEADLINE } = store;
  return unitsUsed(await readQuotaCounter(client, tables.gateway, projectId, periodId, { deadline, sleep, random }));
}

/** Throws `RefusedError` unless the project exists. */
export async function requireProject(store: AccountStore, projectId: string): Promise<void> {
  await readProject(store, projectId);
}

/** The projects of these accounts, account by account. The next page is read when the iteration needs it. */
export const readProjects = (
  store: AccountStore,
  accountIds: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<StoredProject> => readItems<StoredProject>(store, projectKeys(store, accountIds));

async function* projectKeys(
  store: AccountStore,
  accountIds: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<ItemKey> {
  for await (const accountId of accountIds) {
    for await (const projectId of listAccountProjects(store, accountId)) yield itemKey.project(projectId);
  }
}

/**
 * The ids of an account's projects, in order; none for an unknown account. The next page is read when the iteration
 * needs it.
 */
export async function* listAccountProjects(store: AccountStore, accountId: string): AsyncGenerator<string> {
  for await (const { projectId } of listings(store, accountId)) yield projectId;
}

/** The same without those that are listed as closed. */
export async function* listOpenProjects(store: AccountStore, accountId: string): AsyncGenerator<string> {
  for await (const { projectId, closedAt } of listings(store, accountId)) if (closedAt === undefined) yield projectId;
}

const listings = (store: AccountStore, accountId: string) =>
  itemsFrom<{ readonly projectId: string; readonly closedAt?: string }>(store, itemKey.accountProject(accountId, ''));

/** Projects of an account that are read together: one read of at most 100 items. */
const PROJECTS_AT_ONCE = 50;

/** Some of an account's projects that are not closed, in the order of their ids, at most {@link PROJECTS_AT_ONCE}. */
export async function readOpenProjects(
  store: AccountStore,
  accountId: string,
  after = '',
): Promise<{ readonly projectIds: readonly string[]; readonly next: string | undefined }> {
  const projectIds: string[] = [];
  for await (const projectId of listOpenProjects(store, accountId)) {
    if (projectId <= after) continue;
    if (projectIds.length === PROJECTS_AT_ONCE) return { projectIds, next: projectIds.at(-1) };
    projectIds.push(projectId);
  }
  return { projectIds, next: undefined };
}

/**
 * The ids of all projects that have an item or a quota counter, also of those that no list names, in no order. It
 * reads, and you pay for, the whole Gateway table.
 */
export async function* listEveryProject({ client, tables }: AccountStore): AsyncGenerator<string> {
  const { sk } = itemKey.project('');
  const pages = paginateScan(
    { client },
    {
      TableName: tables.gateway,
      FilterExpression:
        'begins_with(#pk, :prefix) AND (#sk = :project OR begins_with(#sk, :quota) OR begins_with(#sk, :caps))',
      ProjectionExpression: '#pk',
      ExpressionAttributeNames: names('pk', 'sk'),
      ExpressionAttributeValues: {
        ':prefix': PROJECT_PREFIX,
        ':project': sk,
        ':quota': QUOTA_PREFIX,
        ':caps': CAP_UNITS_PREFIX,
      },
      ConsistentRead: true,
    },
  );
  let last: unknown;
  for await (const items of availablePages<ItemKey>(pages)) {
    for (const { pk } of items) {
      // The items of a partition are adjacent.
      if (pk !== last) yield pk.slice(PROJECT_PREFIX.length);
      last = pk;
    }
  }
}

/** The refusal of an unknown project. */
export const noSuchProject = (projectId: string): RefusedError => notFound(`There is no project ${projectId}.`);
