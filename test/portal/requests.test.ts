import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { DEFAULT_LIMITS } from '../../functions/accounts/store/limits.ts';
import { closeProject, createProject } from '../../functions/accounts/projects/projects.ts';
import { requestIdAt } from '../../functions/shared/ids.ts';
import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';
import { recordCalls } from '../support/database.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { testPortal, type TestBrowser, type TestPortal } from '../support/portal.ts';
import { testGateway } from '../support/gateway.ts';
import { created, person, tenantOf } from '../support/portal-team.ts';
import { putEvents } from '../support/stored-events.ts';
import { NOW_MS } from '../support/times.ts';
import { someEvent } from '../support/usage-events.ts';

/** Puts a request into the ledger of a project. */
async function put({ store }: TestPortal, projectId: string, given: Partial<UsageEvent> = {}): Promise<UsageEvent> {
  const event = someEvent({ projectId, requestId: requestIdAt(NOW_MS, randomBytes), ...given });
  await putEvents(store, [event]);
  return event;
}
const find = (browser: TestBrowser, requestId: string) => browser.get(`/api/requests/${requestId}`);

describe('a request is found by its id alone', () => {
  test('in whatever project of the accounts that the person belongs to', async () => {
    const portal = testPortal(trustingProvider);
    const { browser, account, accountId, projectId } = await tenantOf(portal);
    const { projectId: second = '' } = await created(browser.post(`${account}/projects`, { name: 'Second' }));
    const other = await tenantOf(portal, await person(portal));
    await created(other.browser.post(`${other.account}/members`, { email: browser.email, role: 'member' }));
    await browser.post(`/api/invitations/${other.accountId}/accept`);
    for (const [of, id] of [
      [accountId, projectId],
      [accountId, second],
      [other.accountId, other.projectId],
    ] as const) {
      const event = await put(portal, id);
      const { status, body } = await find(browser, event.requestId);
      expect([status, body]).toEqual([200, { accountId: of, projectId: id, event }]);
    }
  });

  test('and not in others, nor in one that is closed, nor once it has expired; the calls are as for nobody’s', async () => {
    const portal = testPortal(trustingProvider);
    const { browser, account, projectId } = await tenantOf(portal);
    const { projectId: closed = '' } = await created(browser.post(`${account}/projects`, { name: 'Closed' }));
    const other = await tenantOf(portal, await person(portal));
    const hidden = [
      (await put(portal, other.projectId)).requestId,
      (await put(portal, closed)).requestId,
      (await put(portal, projectId, { requestId: requestIdAt(NOW_MS - 500 * 86_400_000, randomBytes) })).requestId,
      (await put(portal, projectId, { requestId: randomUUID() })).requestId,
    ];
    await browser.delete(`${account}/projects/${closed}`);
    const answerTo = async (id: string) => {
      portal.clock.nowMs += 60_000;
      const record = recordCalls(portal.client);
      const { status, body } = await find(browser, id);
      portal.client.middlewareStack.remove('recordCalls');
      return { status, body: { ...(body as object), requestId: '' }, calls: record.commands };
    };
    const none = await answerTo(requestIdAt(NOW_MS, randomBytes));
    expect(none).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    for (const id of hidden.slice(0, 3)) expect(await answerTo(id)).toEqual(none);
    expect((await answerTo(hidden[3] ?? '')).body).toEqual(none.body);
  });
});

describe('of many projects fifty at a time are looked at,', () => {
  async function withMany(count: number, readsPerMinute: number) {
    const portal = testPortal(trustingProvider, { limits: { ...DEFAULT_LIMITS, readsPerMinute } });
    const { browser, accountId, projectId } = await tenantOf(portal);
    const { operator } = portal;
    const more = Array.from({ length: count }, () =>
      createProject(operator, { accountId, name: 'Many', quotaLimit: 0 }),
    );
    await closeProject(operator, projectId);
    return { portal, browser, projectIds: (await Promise.all(more)).sort() };
  }

  test('each of which counts as a read', async () => {
    const { portal, browser, projectIds } = await withMany(60, 3);
    expect(projectIds).toHaveLength(60);
    const [first, last] = [await put(portal, projectIds[0] ?? ''), await put(portal, projectIds.at(-1) ?? '')];
    const record = recordCalls(portal.client);
    expect((await find(browser, last.requestId)).status).toBe(200);
    portal.client.middlewareStack.remove('recordCalls');
    // Two queries are extra: one for the person's accounts, and one for the account's projects. The fifty projects
    // without the id are also asked for refusals of its minute.
    expect(record.commands.filter((command) => command === 'Query')).toHaveLength(2 + 60 + 50);
    // The limit of the minute allows one more read.
    const { status, headers } = await find(browser, last.requestId);
    expect([status, headers['retry-after']]).toEqual([429, '30']);
    portal.clock.nowMs += 60_000;
    expect((await find(browser, first.requestId)).status).toBe(200);
  });
});

describe('a refusal that is kept once a minute', () => {
  test('is found by its id; a later one of its minute is not, and shows the one that stands for it', async () => {
    const portal = testPortal(trustingProvider);
    const gateway = testGateway({ clock: portal.clock });
    const { browser, account, accountId, project, projectId, key, keyId } = await tenantOf(portal);
    await created(browser.post(`${account}/projects`, { name: 'Second' }));
    expect((await browser.post(`${project}/keys/${keyId}/revoke`)).status).toBe(200);
    portal.clock.nowMs += 60_000;
    const refused = async () => (await gateway.ping(key)).body as { requestId: string; code: string };
    const first = await refused();
    portal.clock.nowMs += 1;
    const second = await refused();
    expect([first.code, second.code]).toEqual(['API_KEY_REVOKED', 'API_KEY_REVOKED']);

    const { status, body } = await find(browser, first.requestId);
    expect([status, body]).toMatchObject([200, { accountId, projectId, event: { requestId: first.requestId } }]);
    for (const answer of [
      await find(browser, second.requestId),
      await browser.get(`${project}/events/${second.requestId}`),
    ]) {
      expect([answer.status, answer.body]).toMatchObject([
        404,
        {
          code: 'NOT_FOUND',
          detail: expect.stringContaining('the first is kept, and stands for the others') as unknown,
          keptInstead: [{ accountId, projectId, event: { requestId: first.requestId } }],
        },
      ]);
    }
    const stranger = await person(portal);
    expect((await find(stranger, second.requestId)).body).not.toHaveProperty('keptInstead');
  });
});
