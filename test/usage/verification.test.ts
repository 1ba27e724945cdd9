import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { periodAt } from '../../functions/core/period.ts';
import { StoreBusyError, StoreUnavailableError } from '../../functions/core/errors.ts';
import { createAccount, listAccounts } from '../../functions/accounts/accounts.ts';
import type { ControlPlane } from '../../functions/accounts/control-plane.ts';
import { verifyEveryLedger } from '../../functions/usage/verification.ts';
import { createProject } from '../../functions/accounts/projects.ts';
import { listAccountProjects } from '../../functions/accounts/stored-projects.ts';
import { countReadUnits } from '../../functions/usage/read-units.ts';
import { itemKey } from '../../functions/store/table-items.ts';
import { booksByHand, itemsPerPage, ownTables } from '../support/books-by-hand.ts';
import { recordCalls } from '../support/database.ts';
import { before } from '../support/overtaking.ts';
import { NOW_MS } from '../support/times.ts';

const JANUARY = periodAt(NOW_MS, 'month');

/** So many accounts, each with so many projects; the ids of the projects in the order of their accounts' ids. */
async function developers(plane: ControlPlane, accounts: number, projectsEach: number): Promise<string[]> {
  const owned: { accountId: string; projects: string[] }[] = [];
  for (let i = 0; i < accounts; i++) {
    const accountId = await createAccount(plane, { name: 'A', email: 'a@example.com' });
    const projects: string[] = [];
    for (let j = 0; j < projectsEach; j++) {
      projects.push(await createProject(plane, { accountId, name: 'P', quotaLimit: undefined }));
    }
    owned.push({ accountId, projects: projects.sort() });
  }
  return owned.sort((a, b) => (a.accountId < b.accountId ? -1 : 1)).flatMap(({ projects }) => projects);
}

/** So many charged events, and what the counter says of them. */
async function putBooks(plane: ControlPlane, projectId: string, events: number, units = events) {
  const books = booksByHand(plane, projectId);
  for (let i = 0; i < events; i++) await books.putEvent();
  await books.putCounter(units);
}

/** The verification of every project, in the order of their ids: they are found in none. */
const verifyAll = async (plane: ControlPlane) =>
  (await Array.fromAsync(verifyEveryLedger(plane, JANUARY))).sort((a, b) => (a.projectId < b.projectId ? -1 : 1));
const sound = (units: number) => ({ consistent: true, quotaUsed: units, ledgerUnits: units });

describe('the verification of all ledgers', () => {
  test('covers every project of every account, page after page', async () => {
    const { plane } = await ownTables();
    const projectIds = await developers(plane, 3, 3);
    for (const projectId of projectIds) await putBooks(plane, projectId, 2);
    itemsPerPage(plane, 1);
    expect(await verifyAll(plane)).toEqual(projectIds.sort().map((projectId) => ({ projectId, ...sound(2) })));
  });

  test('covers the projects of accounts that no list names, and those that no account lists', async () => {
    const { plane } = await ownTables();
    const projectIds = await developers(plane, 2, 1);
    const [unlisted = '', orphan = ''] = await Array.fromAsync(listAccounts(plane));
    const { client, tables } = plane;
    await client.send(new DeleteCommand({ TableName: tables.gateway, Key: itemKey.accountListing(unlisted) }));
    for await (const projectId of listAccountProjects(plane, orphan))
      await client.send(
        new DeleteCommand({ TableName: tables.gateway, Key: itemKey.accountProject(orphan, projectId) }),
      );
    expect(await verifyAll(plane)).toEqual(projectIds.sort().map((projectId) => ({ projectId, ...sound(0) })));
  });

  test('finds wrong books among right ones, tells what cannot be verified, and goes on', async () => {
    const { plane } = await ownTables();
    const projectIds = (await developers(plane, 5, 1)).sort();
    const [first = '', wrong = '', otherPeriod = '', noNumber = '', gone = ''] = projectIds;
    await putBooks(plane, wrong, 0, 3);
    const { occurredAt, requestId } = await booksByHand(plane, otherPeriod, '2030-01-15').putEvent();
    await booksByHand(plane, noNumber).putCounter('3');
    await booksByHand(plane, gone).putCounter(3);
    await plane.client.send(new DeleteCommand({ TableName: plane.tables.gateway, Key: itemKey.project(gone) }));
    const example = { sortKey: `${occurredAt}#${requestId}`, problem: 'period', found: '2030-01-15' };
    expect(await verifyAll(plane)).toEqual([
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

  test('goes on where a counter is never free to be read', async () => {
    const { plane } = await ownTables();
    await developers(plane, 2, 1);
    const busy = new StoreBusyError('conflict');
    before({ plane }, 'TransactGetItemsCommand', () => Promise.reject(busy));
    const found = await Array.fromAsync(verifyEveryLedger(plane, JANUARY));
    expect(found).toMatchObject([{ consistent: false, error: busy.message }, sound(0)]);
  });

  test('finds nothing where there are no projects', async () => {
    const { plane } = await ownTables();
    await developers(plane, 2, 0);
    expect(await verifyAll(plane)).toEqual([]);
  });

  test('ends when the store does not answer, which is no fault of a project', async () => {
    const { plane } = await ownTables();
    await developers(plane, 1, 1);
    const failure = new StoreUnavailableError('no answer');
    before({ plane }, 'GetItemCommand', () => Promise.reject(failure));
    await expect(verifyAll(plane)).rejects.toBe(failure);
  });

  test('reads no further than its results are taken, so that it holds a page at a time', async () => {
    const { client, plane } = await ownTables();
    await developers(plane, 3, 3);
    itemsPerPage(plane, 1);
    const { commands } = recordCalls(client);
    const verifications = verifyEveryLedger(plane, JANUARY);
    // The three queries are for what is kept of days, hours and parts.
    const oneProject = ['GetItem', 'Query', 'Query', 'Query', 'GetItem', 'Query', 'TransactGetItems'];
    await verifications.next();
    expect(commands.filter((name) => name !== 'Scan')).toEqual(oneProject);
    await verifications.next();
    expect(commands.filter((name) => name !== 'Scan')).toEqual([...oneProject, ...oneProject]);
  });
});

test('the lists of accounts and of their projects hold ids only, in order', async () => {
  const { plane } = await ownTables();
  const projectIds = await developers(plane, 2, 2);
  const accountIds = await Array.fromAsync(listAccounts(plane));
  expect(accountIds).toHaveLength(2);
  expect(accountIds).toEqual([...accountIds].sort());
  const listed = await Promise.all(accountIds.map((id) => Array.fromAsync(listAccountProjects(plane, id))));
  expect(listed.flat()).toEqual(projectIds);
  expect(await Array.fromAsync(listAccountProjects(plane, 'acc_unknown'))).toEqual([]);
});

test('the read units are those that the engine reports, of every page', async () => {
  const { plane } = await ownTables();
  const [projectId = ''] = await developers(plane, 1, 1);
  await putBooks(plane, projectId, 3);
  const readUnits = countReadUnits(plane.client);
  expect(readUnits()).toBe(0);
  await verifyAll(plane);
  const once = readUnits();
  // Consistent reads of at most 4 KB: the table, the project, what is kept of days, hours and parts, the counter, the
  // events; two for the counter again. DynamoDB Local does not count that last read twice, and a query that finds nothing
  // for less.
  expect(once).toBeGreaterThanOrEqual(6);
  expect(once).toBeLessThanOrEqual(9);
  itemsPerPage(plane, 1);
  await verifyAll(plane);
  // Two pages more of events, and more of the table than of them.
  expect(readUnits() - once).toBeGreaterThanOrEqual(once + 4);
});
