import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { generateProjectId } from '../core/api-key.ts';
import { isoTime } from '../core/clock.ts';
import { generateAccountId } from '../core/ids.ts';
import { commit, ControlPlaneError, create, requireItem, type ControlPlane } from './control-plane.ts';
import { available, queryItems } from './store.ts';
import { itemKey, names } from './table-items.ts';

/** A developer's account, which owns projects. */
export interface AccountDetails {
  readonly name: string;
  readonly email: string;
}

/** A project: what the quota counts for. */
export interface ProjectDetails {
  readonly name: string;
  readonly accountId: string;
  /** Request units per period, 0 to 10⁹; undefined: not enforced. */
  readonly quotaLimit: number | undefined;
}

/** Creates an account, with its entry in the list of accounts, and returns its id. */
export async function createAccount(plane: ControlPlane, { name, email }: AccountDetails): Promise<string> {
  const accountId = generateAccountId(plane.randomBytes);
  const createdAt = isoTime(plane.clock.now());
  await commit(plane, [
    create(plane, { ...itemKey.account(accountId), accountId, name, email, createdAt }),
    create(plane, { ...itemKey.accountListing(accountId), accountId }),
  ]);
  return accountId;
}

/** Creates a project in an account and returns its id. Throws `ControlPlaneError` for an unknown account. */
export async function createProject(plane: ControlPlane, project: ProjectDetails): Promise<string> {
  const { accountId } = project;
  const projectId = generateProjectId(plane.randomBytes);
  const createdAt = isoTime(plane.clock.now());
  await commit(plane, [
    requireItem(plane, itemKey.account(accountId), `There is no account ${accountId}.`),
    create(plane, { ...itemKey.project(projectId), projectId, ...project, status: 'active', createdAt }),
    create(plane, { ...itemKey.accountProject(accountId, projectId), projectId }),
  ]);
  return projectId;
}

/** The ids of all accounts, in their order, read page by page as they are taken. */
export async function* listAccounts({ client, tables }: ControlPlane): AsyncGenerator<string> {
  const listing = queryItems(client, {
    TableName: tables.gateway,
    KeyConditionExpression: '#pk = :pk',
    ExpressionAttributeNames: names('pk'),
    ExpressionAttributeValues: { ':pk': itemKey.accountListing('').pk },
    ConsistentRead: true,
  });
  for await (const { accountId } of listing) yield accountId as string;
}

/** The ids of an account's projects, in their order, read page by page as they are taken; none for an unknown account. */
export async function* listAccountProjects(
  { client, tables }: ControlPlane,
  accountId: string,
): AsyncGenerator<string> {
  const { pk, sk: prefix } = itemKey.accountProject(accountId, '');
  const listing = queryItems(client, {
    TableName: tables.gateway,
    KeyConditionExpression: '#pk = :pk AND begins_with(#sk, :prefix)',
    ExpressionAttributeNames: names('pk', 'sk'),
    ExpressionAttributeValues: { ':pk': pk, ':prefix': prefix },
    ConsistentRead: true,
  });
  for await (const { projectId } of listing) yield projectId as string;
}

/** Throws `ControlPlaneError` unless the project exists. */
export async function requireProject({ client, tables }: ControlPlane, projectId: string): Promise<void> {
  const command = new GetCommand({ TableName: tables.gateway, Key: itemKey.project(projectId), ConsistentRead: true });
  const { Item } = await available(client.send(command));
  if (!Item) throw new ControlPlaneError(noSuchProject(projectId));
}

/** What an operator is told of an unknown project. */
export const noSuchProject = (projectId: string): string => `There is no project ${projectId}.`;
