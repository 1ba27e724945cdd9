import { isoTime } from '../../shared/time.ts';
import { assertCounted, noSuchAccount, accountRefusal, type AccountCounts } from '../team/account-counts.ts';
import { audited } from '../authority/audit.ts';
import { changeAs, maySeeAccount } from '../authority/authority.ts';
import { RefusedError } from '../store/refusals.ts';
import type { AccountStore, StoredItem } from '../store/account-store.ts';
import { replaceAttributes } from '../store/writes.ts';
import { deleteMembershipPointer } from '../team/members.ts';
import { listOpenProjects, type StoredProject } from './stored-projects.ts';
import { listMembers } from '../team/stored-members.ts';
import { itemKey } from '../../shared/store/items.ts';
import { readBatches, readItem } from '../../shared/store/tables.ts';

/**
 * The most project writes in one transaction (AWS, "TransactWriteItems"): without those for the caller, with two counts
 * while the stage changes its secret, the account and its audit event.
 */
const MAX_CLOSED_AT_ONCE = 100 - 5;

/**
 * Closes an account for good, with its projects. Its keys are refused from the next request on, and its members no
 * longer find it. Its data are kept. People need the role owner. Throws `RefusedError` for an account too large to be
 * closed in one transaction.
 */
export const closeAccount = (store: AccountStore, accountId: string): Promise<void> =>
  changeAs(store, 'owner', async () => {
    const what = `Account ${accountId}`;
    const key = itemKey.account(accountId);
    // Read before its content, and not in parallel: a difference then means a change in between, or a wrong count.
    const account = await readItem<StoredItem & AccountCounts>(store, key);
    const refusal = accountRefusal(store, accountId, maySeeAccount(store, accountId) ? account : undefined);
    if (!account || refusal) throw refusal ?? noSuchAccount(accountId);
    const [open, members] = await Promise.all([
      readProjectsToClose(store, accountId),
      Array.fromAsync(listMembers(store, accountId)),
    ]);
    if (open.length + members.length > MAX_CLOSED_AT_ONCE) {
      const line = `${what} has over ${MAX_CLOSED_AT_ONCE} projects and members; close or remove some first.`;
      throw new RefusedError(line, { code: 'LIMIT_REACHED' });
    }
    // These are all that exist. Active members are counted too, because a person who joins in between has another
    // pointer.
    const listed = {
      projects: open.length,
      members: members.length,
      activeMembers: members.filter(({ status }) => status === 'active').length,
    };
    assertCounted(store, accountId, account, listed);
    const seen = { status: undefined, ...listed };
    const after = { status: 'closed', closedAt: isoTime(store.clock.now()) };
    const projectIds = open.map(({ projectId }) => projectId);
    const changes = [
      replaceAttributes(store, { key, what, seen, after }),
      ...open.map(({ projectId, status }) =>
        replaceAttributes(store, {
          key: itemKey.project(projectId),
          what: `Project ${projectId}`,
          seen: { status },
          after: { status: 'closed' },
        }),
      ),
      ...members.flatMap((member) => deleteMembershipPointer(store, accountId, member)),
      await audited(
        store,
        'account.close',
        { accountId },
        { before: { status: 'open', projects: projectIds }, after: { status: 'closed' } },
      ),
    ];
    return { result: undefined, changes };
  });

/**
 * Closed projects are not read: their number is not limited, and a caller without the right to close could cause that
 * read, too.
 */
async function readProjectsToClose(store: AccountStore, accountId: string): Promise<StoredProject[]> {
  const ids = await Array.fromAsync(listOpenProjects(store, accountId));
  const projects = await readBatches<StoredProject>(store, ids.map(itemKey.project));
  return projects.filter((project) => project !== undefined).filter(({ status }) => status !== 'closed');
}
