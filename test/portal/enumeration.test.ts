import { beforeAll, describe, expect, test } from '@jest/globals';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { accountItemKey } from '../../functions/accounts/store/account-items.ts';
import { WHO_MAY } from '../support/authority/who-may.ts';
import { accountOf } from '../support/authority/world.ts';
import { recordCalls } from '../support/database.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { filledPath, NOBODYS_IDS, portalOperations } from '../support/portal-contract.ts';
import { created, person, tenantOf, type TestPerson } from '../support/portal-team.ts';
import { testPortal, type PortalAnswer, type TestPortal } from '../support/portal.ts';
import { readUnitsOf } from '../support/read-units.ts';
import { putEvents } from '../support/stored-events.ts';
import { someEvent } from '../support/usage-events.ts';
import { NOW_MS } from '../support/times.ts';

declare const ENGINE: string;
/** AWS counts a read unit for an item that there is not; DynamoDB Local counts none, and could be told apart by it. */
const COUNTS_ABSENT_ITEMS = ENGINE !== 'dynamodb-local';
const REQUEST = '01b92504-8230-7a78-958c-786de2921d1b';
const NOBODYS = { ...NOBODYS_IDS, requestId: '00000000-0000-4000-8000-000000000000' };
const LONG = { idleMs: 86_400_000, absoluteMs: 86_400_000 };
/** Read units for somebody outside the account. An acceptance also reads the invitation, and an earlier answer to it. */
const mostUnits = (operationId: string): number => (operationId === 'acceptInvitation' ? 5 : 3);
const operations = portalOperations.filter(({ path }) => path.includes('{accountId}'));

let portal: TestPortal;
let stranger: TestPerson;
/** Of another person's account, with one thing of each kind. */
let others: Readonly<Record<string, string>>;
/** Of the stranger's own account. */
let own: Readonly<Record<string, string>>;
beforeAll(async () => {
  // Each request has its own minute, and the stranger does nothing that would keep a session alive.
  portal = testPortal(trustingProvider, { sessionLimits: LONG });
  stranger = await person(portal, 'stranger');
  const ofStranger = await tenantOf(portal, stranger);
  const made = await accountOf(portal);
  const { browser, account, project, projectId, keyId } = made;
  for (let i = 0; i < 3; i++) {
    await created(browser.post(`${account}/projects`, { name: 'More' }));
    await created(browser.post(`${project}/keys`, {}));
  }
  const occurredAt = new Date(NOW_MS - 60_000).toISOString();
  const events = Array.from({ length: 30 }, () =>
    someEvent({ projectId, keyId, requestId: crypto.randomUUID(), occurredAt }),
  );
  await putEvents(portal.store, [...events, someEvent({ projectId, keyId, requestId: REQUEST })]);
  // As large as the active keys of a project can be, so that a stranger's read of them would be seen.
  await portal.client.send(
    new UpdateCommand({
      TableName: portal.store.tables.gateway,
      Key: accountItemKey.activeKeys(projectId),
      UpdateExpression: 'SET filling = :filling',
      ExpressionAttributeValues: { ':filling': 'x'.repeat(300_000) },
    }),
  );
  const { accountId, memberId, endpointId, deliveryId, tokenId } = made;
  others = { accountId, projectId, keyId, memberId, endpointId, deliveryId, tokenId, requestId: REQUEST };
  own = { ...NOBODYS, accountId: ofStranger.accountId };
});

interface Told {
  readonly answer: unknown;
  readonly calls: readonly string[];
  readonly roundTrips: number;
  readonly readUnits: number;
}

/** Everything that a stranger can see of an answer, and the work for it. */
async function toldOf(
  { method, path, operationId }: (typeof operations)[number],
  ids: Readonly<Record<string, string>>,
  cookies = stranger.jar.list(),
): Promise<Told> {
  const filled = filledPath(path, ids);
  const { body = {} } = WHO_MAY[operationId] ?? {};
  // Each has its own minute, so that counts begin again.
  portal.clock.nowMs += 61_000;
  const record = recordCalls(portal.client);
  const { answer, units } = await readUnitsOf(portal, () =>
    // The header of a timer: the session's last use is recorded only at intervals.
    stranger.request(method, filled, {
      cookies,
      headers: { 'x-service-background': '1' },
      ...(method !== 'GET' && { body }),
    }),
  ).finally(() => portal.client.middlewareStack.remove('recordCalls'));
  const { commands, roundTrips } = record;
  return {
    answer: steady(answer),
    calls: [...commands].sort(),
    roundTrips,
    readUnits: COUNTS_ABSENT_ITEMS ? units : 0,
  };
}

function steady({ status, headers, cookies, body }: PortalAnswer): unknown {
  const { 'x-service-request-id': _id, 'x-service-time': _time, ...others } = headers;
  return { status, headers: others, cookies, body: { ...(body as object), requestId: '' } };
}

describe('nothing distinguishes what belongs to others from what does not exist:', () => {
  test.each(operations)('$method $path, neither by the answer nor by the calls that it takes', async (operation) => {
    const none = await toldOf(operation, NOBODYS);
    expect(none.answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(none.calls.length).toBeGreaterThan(0);
    expect(none.calls).not.toContain('Query');
    expect(none.readUnits).toBeLessThanOrEqual(mostUnits(operation.operationId));
    expect(await toldOf(operation, others)).toEqual(none);
    const isChange = operation.method !== 'GET' && operation.path.startsWith('/api/accounts/');
    // Only the session is read: a stranger causes no reads of the things they want to change.
    if (isChange) expect(none.calls).toEqual(['BatchGetItem']);
    // A made-up session costs nothing.
    const madeUp = stranger.jar.list().map((cookie) => `${cookie.slice(0, -43)}${'A'.repeat(43)}`);
    expect(await toldOf(operation, others, madeUp)).toMatchObject({ answer: { status: 401 }, calls: [], readUnits: 0 });
  });

  test.each(operations.filter(({ path }) => path.split('{').length > 2))(
    '$method $path, in an account of one’s own neither',
    async (operation) => {
      const none = await toldOf(operation, own);
      expect(none.answer).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
      // Keys are listed with their account: a stranger reads a list of their own.
      if (operation.method === 'GET' && !operation.path.endsWith('/keys')) expect(none.calls).not.toContain('Query');
      const mixed = { ...others, accountId: own.accountId ?? '' };
      expect(await toldOf(operation, mixed)).toEqual(none);
    },
  );
});
