import { describe, expect, test } from '@jest/globals';
import { periodAt } from '../../functions/shared/time.ts';
import { StoreBusyError, StoreUnavailableError } from '../../functions/shared/http/errors.ts';
import { createAccount, listAccounts } from '../../functions/accounts/team/accounts.ts';
import type { AccountStore } from '../../functions/accounts/store/account-store.ts';
import { verifyEveryLedger } from '../../functions/usage/checks/verification.ts';
import { createProject } from '../../functions/accounts/projects/projects.ts';
import { listAccountProjects } from '../../functions/accounts/projects/stored-projects.ts';
import { countReadUnits } from '../../bin/admin/usage-meter.ts';
import { itemKey } from '../../functions/shared/store/items.ts';
import { booksByHand, itemsPerPage, ownTables } from '../support/books-by-hand.ts';
import { deleteItem, recordCalls } from '../support/database.ts';
import { before } from '../support/overtaking.ts';
import { NOW_MS } from '../support/times.ts';

const JANUARY = periodAt(NOW_MS, 'month');

/** Accounts with projects; returns the ids of the projects in the order of their accounts' ids. */
async function developers(store: AccountStore, accounts: number, projectsEach: number): Promise<string[]> {
  const owned: { accountId: string; projects: string[] }[] = [];
  for (let i = 0; i < accounts; i++) {
    const accountId = await createAccount(store, { name: 'A', email: 'a@example.com' });
    const projects: string[] = [];
    for (let j = 0; j < projectsEach; j++) {
      projects.push(await createProject(store, { accountId, name: 'P', quotaLimit: undefined }));
    }
    owned.push({ accountId, projects: projects.sort() });
  }
  return owned.sort((a, b) => (a.accountId < b.accountId ? -1 : 1)).flatMap(({ projects }) => projects);
}

/** Charged events, and a counter with these units. */
async function putBooks(store: AccountStore, projectId: string, events: number, units = events) {
  const books = booksByHand(store, projectId);
  for (let i = 0; i < events; i++) await books.putEvent();
  await books.putCounter(units);
}

/** The verification of every project, by id: the scan has no order. */
const verifyAll = async (store: AccountStore) =>
  (await Array.fromAsync(verifyEveryLedger(store, JANUARY))).sort((a, b) => (a.projectId < b.projectId ? -1 : 1));
const sound = (units: number) => ({ consistent: true, quotaUsed: units, ledgerUnits: units });

describe('the verification of all ledgers', () => {
  test('covers every project of every account, page after page', async () => {
    const { store } = await ownTables();
    const projectIds = await developers(store, 2, 2);
    for (const projectId of projectIds) await putBooks(store, projectId, 2);
    itemsPerPage(store, 1);
    expect(await verifyAll(store)).toEqual(projectIds.sort().map((projectId) => ({ projectId, ...sound(2) })));
  });

  test('covers the projects of accounts that no list names, and those that no account lists', async () => {
    const { store } = await ownTables();
    const projectIds = await developers(store, 2, 1);
    const [unlisted = '', orphan = ''] = await Array.fromAsync(listAccounts(store));
    await deleteItem(store, itemKey.accountListing(unlisted));
    for await (const projectId of listAccountProjects(store, orphan))
      await deleteItem(store, itemKey.accountProject(orphan, projectId));
    expect(await verifyAll(store)).toEqual(projectIds.sort().map((projectId) => ({ projectId, ...sound(0) })));
  });

  test('finds wrong ledgers among right ones, reports what cannot be verified, and continues', async () => {
    const { store } = await ownTables();
    const projectIds = (await developers(store, 5, 1)).sort();
    const [first = '', wrong = '', otherPeriod = '', noNumber = '', gone = ''] = projectIds;
    await putBooks(store, wrong, 0, 3);
    const { occurredAt, requestId } = await booksByHand(store, otherPeriod, '2030-01-15').putEvent();
    await booksByHand(store, noNumber).putCounter('3');
    await booksByHand(store, gone).putCounter(3);
    await deleteItem(store, itemKey.project(gone));
    const example = { sortKey: `${occurredAt}#${requestId}`, problem: 'period', found: '2030-01-15' };
    expect(await verifyAll(store)).toEqual([
      { projectId: first, ...sound(0) },
      {
        projectId: wrong,
        consistent: false,
        quotaUsed: 3,
        ledgerUnits: 0,
        difference: { atLeast: -3, atMost: -3 },
      },
      {
        projectId: otherPeriod,
        ...sound(0),
        consistent: false,
        irregularEvents: { count: 1, examples: [example] },
      },
      {
        projectId: noNumber,
        consistent: false,
        error: `The counter of project ${noNumber} for 2030-01 holds no number of units.`,
      },
      { projectId: gone, consistent: false, error: `There is no project ${gone}.` },
    ]);
  });

  test('continues where a counter is never free to be read', async () => {
    const { store } = await ownTables();
    await developers(store, 2, 1);
    const busy = new StoreBusyError('conflict');
    before({ store }, 'TransactGetItemsCommand', () => Promise.reject(busy));
    const found = await Array.fromAsync(verifyEveryLedger(store, JANUARY));
    expect(found).toMatchObject([{ consistent: false, error: busy.message }, sound(0)]);
  });

  test('finds nothing where there are no projects', async () => {
    const { store } = await ownTables();
    await developers(store, 2, 0);
    expect(await verifyAll(store)).toEqual([]);
  });

  test('ends when the store does not answer, which is no fault of a project', async () => {
    const { store } = await ownTables();
    await developers(store, 1, 1);
    const failure = new StoreUnavailableError('no answer');
    before({ store }, 'GetItemCommand', () => Promise.reject(failure));
    await expect(verifyAll(store)).rejects.toBe(failure);
  });

  test('reads no further than its results are taken, so that it holds a page at a time', async () => {
    const { client, store } = await ownTables();
    await developers(store, 3, 3);
    itemsPerPage(store, 1);
    const { commands } = recordCalls(client);
    const verifications = verifyEveryLedger(store, JANUARY);
    // Three of the queries are for the stored sums of days, hours and parts, and two are for the counters of caps.
    const oneProject = ['GetItem', 'Query', 'Query', 'Query', 'Query', 'Query', 'GetItem', 'Query', 'TransactGetItems'];
    await verifications.next();
    expect(commands.filter((name) => name !== 'Scan')).toEqual(oneProject);
    await verifications.next();
    expect(commands.filter((name) => name !== 'Scan')).toEqual([...oneProject, ...oneProject]);
  });
});

test('the lists of accounts and of their projects hold ids only, in order', async () => {
  const { store } = await ownTables();
  const projectIds = await developers(store, 2, 2);
  const accountIds = await Array.fromAsync(listAccounts(store));
  expect(accountIds).toHaveLength(2);
  expect(accountIds).toEqual([...accountIds].sort());
  const listed = await Promise.all(accountIds.map((id) => Array.fromAsync(listAccountProjects(store, id))));
  expect(listed.flat()).toEqual(projectIds);
  expect(await Array.fromAsync(listAccountProjects(store, 'acc_unknown'))).toEqual([]);
});

test('the read units are those that the engine reports, of every page', async () => {
  const { store } = await ownTables();
  const [projectId = ''] = await developers(store, 1, 1);
  await putBooks(store, projectId, 3);
  const readUnits = countReadUnits(store.client);
  expect(readUnits()).toBe(0);
  await verifyAll(store);
  const once = readUnits();
  // Consistent reads of at most 4 KB: the table; the project; the stored sums of days, hours and parts; the counter;
  // the counters of caps of the month, and of weeks and `once`; the events; two for the counter again. DynamoDB Local counts that last read once, and a query without results as
  // less.
  expect(once).toBeGreaterThanOrEqual(6);
  expect(once).toBeLessThanOrEqual(11);
  itemsPerPage(store, 1);
  await verifyAll(store);
  // Two more pages of events, and even more of the table.
  expect(readUnits() - once).toBeGreaterThanOrEqual(once + 4);
});
