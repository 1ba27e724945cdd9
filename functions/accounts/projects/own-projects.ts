import { allFulfilled } from '../../shared/fulfilled.ts';
import type { AccountStore, Membership } from '../store/account-store.ts';
import { listOpenProjects } from './stored-projects.ts';
import { listOwnAccounts } from '../team/own-accounts.ts';

/** A project of an account that a person is an active member of. */
export interface OwnProject {
  readonly projectId: string;
  readonly membership: Membership;
}

/** The projects of a person that are not closed, account by account, at most this number. Three sequential reads. */
export async function listOwnProjects(store: AccountStore, userId: string, most: number): Promise<OwnProject[]> {
  const accounts = await listOwnAccounts(store, userId);
  const projects = await allFulfilled(accounts.map((account) => openProjects(store, account, most)));
  return projects.flat().slice(0, most);
}

async function openProjects(store: AccountStore, { accountId, memberId }: Membership, most: number) {
  const open: OwnProject[] = [];
  for await (const projectId of listOpenProjects(store, accountId)) {
    if (open.push({ projectId, membership: { accountId, memberId } }) === most) break;
  }
  return open;
}
