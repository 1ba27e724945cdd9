import { beforeAll, expect, test } from '@jest/globals';
import { recordCalls } from '../support/database.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { filledPath, portalOperations } from '../support/portal-contract.ts';
import { testPortal, type TestPortal } from '../support/portal.ts';
import { putManyEvents, readUnitsOf } from '../support/read-units.ts';
import { created, endpointOf, join, person, tenantOf } from '../support/portal-team.ts';
import { MINUTE_MS } from '../support/times.ts';

/** Sequential round trips of a read: the session, then the data. */
const MOST = 3;
/** For a read that is counted. */
const MOST_COUNTED = 4;
/** For a file: the names of keys take two more at most. */
const MOST_OF_A_FILE = 5;
/**
 * For a search of a request: the session, the count, two for the accounts, one for their projects, and two for the events:
 * by their key, and those that are kept once a minute.
 */
const MOST_OF_A_SEARCH = 7;
/**
 * For the attention of an account: the session, the count, the projects, two for their keys and refusals, two for
 * names.
 */
const MOST_OF_AN_ACCOUNT = 7;
/** Of a page, and of a file, in read units: less than all events of the project, which are 1,000. */
const MOST_UNITS = 20;
const MOST_UNITS_OF_A_FILE = 130;
const COUNTED = /\/(audit|invitations|keys|events(\/\{requestId\})?)$/;
/** A first read sums and stores; usage, key-page and ledger.test.ts check the calls of a second one. */
const SUMMED = ['getUsage', 'getKey', 'checkLedger', 'getStatement'];
const reads = portalOperations.filter(
  ({ method, operationId, isOpen }) => method === 'GET' && !SUMMED.includes(operationId) && !isOpen,
);

let portal: TestPortal;
let tenant: Awaited<ReturnType<typeof tenantOf>>;
let endpoint: Awaited<ReturnType<typeof endpointOf>>;
beforeAll(async () => {
  portal = testPortal(trustingProvider);
  tenant = await tenantOf(portal);
  const { browser, accountId, account, project } = tenant;
  endpoint = await endpointOf(browser, account);
  await join(portal, browser, accountId, 'owner');
  await created(browser.post(`${account}/projects`, { name: 'Maps' }));
  await created(browser.post(`${project}/keys`, {}));
  await putManyEvents(portal, tenant.projectId, tenant.keyId, 1_000);
  const other = await tenantOf(portal, await person(portal));
  await created(other.browser.post(`${other.account}/members`, { email: browser.email, role: 'member' }));
});

/** The first page of active keys, which is not counted, beside the list of all keys. */
const ofActiveKeys = reads
  .filter(({ path }) => path.endsWith('/keys'))
  .map((read) => ({ ...read, query: 'state=active' }));
const asked = [...reads.map((read) => ({ ...read, query: '' })), ...ofActiveKeys];

test.each(asked)('$method $path $query takes the sequential reads that it may', async ({ path, query }) => {
  const { accountId, projectId, keyId } = tenant;
  const ids: Readonly<Record<string, string>> = {
    accountId,
    projectId,
    keyId,
    endpointId: endpoint.endpointId,
    requestId: '01b92504-8230-7a78-958c-786de2921d1b',
  };
  const filled = filledPath(path, ids);
  // Long enough after the last request that the session's use is recorded again.
  portal.clock.nowMs += 11 * MINUTE_MS;
  const record = recordCalls(portal.client);
  const { units } = await readUnitsOf(portal, () => tenant.browser.get(filled, query)).finally(() =>
    portal.client.middlewareStack.remove('recordCalls'),
  );
  expect(record.commands[0]).toBe('BatchGetItem');
  const most = path.endsWith('.csv') ? MOST_OF_A_FILE : COUNTED.test(path + query) ? MOST_COUNTED : MOST;
  const wide = path.startsWith('/api/requests/') ? MOST_OF_A_SEARCH : MOST_OF_AN_ACCOUNT;
  expect(units).toBeLessThanOrEqual(path.endsWith('.csv') ? MOST_UNITS_OF_A_FILE : MOST_UNITS);
  expect(record.roundTrips).toBeLessThanOrEqual(/^\/api\/requests\/|\/attention$/.test(path) ? wide : most);
});
