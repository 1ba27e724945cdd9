import { randomUUID } from 'node:crypto';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from '@jest/globals';
import { periodAt } from '../../functions/core/period.ts';
import { StoreUnavailableError } from '../../functions/core/errors.ts';
import { createAccount, listAccounts } from '../../functions/accounts/accounts.ts';
import type { ControlPlane } from '../../functions/accounts/control-plane.ts';
import { verifyEveryLedger } from '../../functions/usage/verification.ts';
import { createProject, listAccountProjects } from '../../functions/accounts/projects.ts';
import { countReadUnits } from '../../functions/usage/read-units.ts';
import { createTables } from '../../local/tables.ts';
import { recordCalls } from '../support/database.ts';
import { testGateway } from '../support/gateway.ts';
import { before } from '../support/overtaking.ts';
import { NOW_MS } from '../support/times.ts';

const JANUARY = periodAt(NOW_MS, 'month');

/** Tables of its own: in the others every test has its projects, wrong ones too. */
async function ownTables() {
  const { plane, operatorClient: client } = testGateway();
  const suffix = randomUUID();
  const tables = { gateway: `Gateway-${suffix}`, usage: `Usage-${suffix}` };
  await createTables(client, tables);
  return { client, plane: { ...plane, tables } };
}

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

/** Events of one unit, at the start of January, without the charge that belongs to them. */
async function putEvents({ client, tables }: ControlPlane, projectId: string, count: number, period = JANUARY.id) {
  for (let i = 0; i < count; i++) {
    const Item = { pk: projectId, sk: `2030-01-01T00:00:00.000Z#${i}`, units: 1, period };
    await client.send(new PutCommand({ TableName: tables.usage, Item }));
  }
}

async function putCounter({ client, tables }: ControlPlane, projectId: string, units: number) {
  const Item = { pk: `PROJECT#${projectId}`, sk: `QUOTA#${JANUARY.id}`, units };
  await client.send(new PutCommand({ TableName: tables.gateway, Item }));
}

/** Makes every page of every query hold one item. */
const onePerPage = ({ client }: ControlPlane) =>
  client.middlewareStack.add(
    (next, context) => (args) =>
      next(context.commandName === 'QueryCommand' ? { ...args, input: { ...args.input, Limit: 1 } } : args),
    { step: 'initialize', name: 'onePerPage' },
  );

describe('the verification of all ledgers', () => {
  test('covers every project of every account, page after page', async () => {
    const { plane } = await ownTables();
    const projectIds = await developers(plane, 3, 3);
    for (const projectId of projectIds) {
      await putEvents(plane, projectId, 2);
      await putCounter(plane, projectId, 2);
    }
    onePerPage(plane);
    const found = await Array.fromAsync(verifyEveryLedger(plane, JANUARY));
    expect(found).toEqual(
      projectIds.map((projectId) => ({ projectId, consistent: true, quotaUsed: 2, ledgerUnits: 2 })),
    );
  });

  test('finds a wrong counter among right ones', async () => {
    const { plane } = await ownTables();
    const [first = '', wrong = '', third = ''] = await developers(plane, 3, 1);
    await putCounter(plane, wrong, 3);
    expect(await Array.fromAsync(verifyEveryLedger(plane, JANUARY))).toEqual([
      { projectId: first, consistent: true, quotaUsed: 0, ledgerUnits: 0 },
      { projectId: wrong, consistent: false, quotaUsed: 3, ledgerUnits: 0 },
      { projectId: third, consistent: true, quotaUsed: 0, ledgerUnits: 0 },
    ]);
  });

  test('finds nothing where there are no projects', async () => {
    const { plane } = await ownTables();
    await developers(plane, 2, 0);
    expect(await Array.fromAsync(verifyEveryLedger(plane, JANUARY))).toEqual([]);
  });

  test('ends at a project that was charged by another period, and names it', async () => {
    const { plane } = await ownTables();
    const [, second = ''] = await developers(plane, 2, 1);
    await putEvents(plane, second, 1, '2030-01-01');
    await expect(Array.fromAsync(verifyEveryLedger(plane, JANUARY))).rejects.toThrow(
      `Project ${second}: Units were charged to 2030-01-01, none to 2030-01: set QUOTA_PERIOD to match.`,
    );
  });

  test('ends when the store does not answer, which is no fault of a project', async () => {
    const { plane } = await ownTables();
    await developers(plane, 1, 1);
    const failure = new StoreUnavailableError('no answer');
    before({ plane }, 'GetItemCommand', () => Promise.reject(failure));
    await expect(Array.fromAsync(verifyEveryLedger(plane, JANUARY))).rejects.toBe(failure);
  });

  test('reads no further than its results are taken, so that it holds a page at a time', async () => {
    const { client, plane } = await ownTables();
    await developers(plane, 3, 3);
    onePerPage(plane);
    const { commands } = recordCalls(client);
    const verifications = verifyEveryLedger(plane, JANUARY);
    const oneProject = ['GetItem', 'GetItem', 'Query', 'GetItem'];
    await verifications.next();
    expect(commands).toEqual(['Query', 'Query', ...oneProject]);
    await verifications.next();
    expect(commands).toEqual(['Query', 'Query', ...oneProject, 'Query', ...oneProject]);
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
  await putEvents(plane, projectId, 3);
  await putCounter(plane, projectId, 3);
  const readUnits = countReadUnits(plane.client);
  expect(readUnits()).toBe(0);
  await Array.fromAsync(verifyEveryLedger(plane, JANUARY));
  // Consistent reads of at most 4 KB: accounts, projects, project, counter, events, counter again.
  expect(readUnits()).toBe(6);
  onePerPage(plane);
  await Array.fromAsync(verifyEveryLedger(plane, JANUARY));
  // Two pages more, and what the engine takes for finding that there are no more.
  expect(readUnits()).toBeGreaterThanOrEqual(6 + 6 + 2);
});
