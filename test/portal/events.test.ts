import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { requestIdAt } from '../../functions/shared/ids.ts';
import { DEFAULT_LIMITS } from '../../functions/accounts/store/limits.ts';
import type { UsageEvent } from '../../functions/shared/request/usage-event.ts';
import { created, read, readPages, stageWithTenant } from '../support/portal-team.ts';
import { putManyEvents } from '../support/read-units.ts';
import { DAY_MS } from '../support/times.ts';

const SECOND_MS = 1_000;

interface Page {
  readonly events: UsageEvent[];
  readonly cursor: string | null;
}
async function projectOf() {
  const stage = await stageWithTenant({ limits: { ...DEFAULT_LIMITS, readsPerMinute: 1_000 } });
  const path = `${stage.project}/events`;
  const list = (query = '') => read<Page>(stage.browser.get(path, query));
  const all = async (query: Record<string, string> = {}) =>
    (await readPages<UsageEvent>(stage.browser, path, 'events', query)).flat();
  return { ...stage, list, all };
}
type Project = Awaited<ReturnType<typeof projectOf>>;

const ids = (events: readonly UsageEvent[]): string[] => events.map(({ requestId }) => requestId);
const newestFirst = (events: readonly UsageEvent[]): UsageEvent[] =>
  events.toSorted((a, b) => (`${a.occurredAt}#${a.requestId}` < `${b.occurredAt}#${b.requestId}` ? 1 : -1));

/** Requests of several kinds in three minutes; those of the revoked key are stored at the start of their minute. */
async function traffic({ gateway, clock, browser, project, key }: Project) {
  const old = await created(browser.post(`${project}/keys`, {}));
  await browser.post(`${project}/keys/${old.keyId}/revoke`);
  for (let i = 0; i < 18; i++) {
    clock.nowMs += 10 * SECOND_MS;
    if (i % 3 === 1) await gateway.ping(old.key ?? '');
    else await gateway.ping(key, i % 5 === 0 ? { body: '[]' } : {});
  }
  return { revoked: old.keyId };
}

describe('events are listed newest first', () => {
  let project: Project;
  let stored: UsageEvent[];
  let revoked: string | undefined;
  beforeAll(async () => {
    project = await projectOf();
    ({ revoked } = await traffic(project));
    stored = newestFirst(await project.gateway.events(project.projectId));
  });

  test('all of them, each once', async () => {
    expect(stored.filter(({ keyId }) => keyId === revoked).length).toBeGreaterThan(2);
    for (const limit of [stored.length, 200]) {
      expect(await project.list(`limit=${limit}`)).toEqual({ events: stored, cursor: null });
    }
  });

  test.each([1, 2, 3, 5, 50])('in pages of %d', async (limit) => {
    expect(ids(await project.all({ limit: String(limit) }))).toEqual(ids(stored));
  });

  test.each<[Record<string, string>, (event: UsageEvent) => boolean]>([
    [{ event: 'request_succeeded' }, ({ event }) => event === 'request_succeeded'],
    [{ event: 'request_rejected', limit: '2' }, ({ event }) => event === 'request_rejected'],
    [{ code: 'API_KEY_REVOKED', limit: '1' }, ({ code }) => code === 'API_KEY_REVOKED'],
    [{ event: 'quota_rejected' }, () => false],
  ])('of those that are asked for: %j', async (query, wanted) => {
    expect(ids(await project.all(query))).toEqual(ids(stored.filter(wanted)));
  });

  test('of one name that the client gave', async () => {
    const { gateway, key, portal, list } = await projectOf();
    const { body } = await gateway.ping(key, { body: { clientRequestId: '#order & 7' } });
    portal.clock.nowMs += 1;
    await gateway.ping(key, { body: { clientRequestId: 'order' } });
    const { events } = await list(new URLSearchParams({ clientRequestId: '#order & 7' }).toString());
    expect(ids(events)).toEqual([body.requestId]);
  });

  test('of one key', async () => {
    const keyId = revoked ?? '';
    expect(ids(await project.all({ keyId }))).toEqual(ids(stored.filter((event) => event.keyId === keyId)));
  });

  test('from since on, until before', async () => {
    const [since, until] = [stored[14]?.occurredAt ?? '', stored[2]?.occurredAt ?? ''];
    const within = stored.filter(({ occurredAt }) => since <= occurredAt && occurredAt < until);
    for (const limit of ['1', '4', '200']) expect(ids(await project.all({ since, until, limit }))).toEqual(ids(within));
  });

  test('none after a cursor that stands before the span', async () => {
    const { cursor } = await project.list('limit=10');
    const query = new URLSearchParams({ cursor: cursor ?? '', since: stored[2]?.occurredAt ?? '' });
    expect(await project.list(query.toString())).toEqual({ events: [], cursor: null });
  });

  test('and one of them by its request id', async () => {
    for (const event of stored) {
      const path = `${project.project}/events/${event.requestId}`;
      const { cause, ...same } = (await project.browser.get(path)).body as { readonly cause?: unknown };
      expect([same, cause !== undefined]).toEqual([event, event.code === 'API_KEY_REVOKED']);
    }
    const none = await project.browser.get(`${project.project}/events/${requestIdAt(0, randomBytes)}`);
    expect([none.status, none.body]).toEqual([404, expect.objectContaining({ code: 'NOT_FOUND' })]);
  });
});

test('events that are kept no longer are not shown, though the table has them', async () => {
  const project = await projectOf();
  await project.gateway.ping(project.key, { body: '[]' });
  await project.gateway.ping(project.key);
  project.clock.nowMs += 30 * DAY_MS;
  await project.browser.signIn(project.browser.email);
  expect((await project.list()).events.map(({ event }) => event)).toEqual(['request_succeeded']);
});

test('a page of few among many is bounded: it may be empty, with a cursor', async () => {
  const project = await projectOf();
  await project.gateway.ping(project.key, { body: '[]' });
  const [template] = await project.gateway.events(project.projectId);
  project.clock.nowMs += 30 * 60_000;
  await putManyEvents(project.portal, project.projectId, project.keyId, 1_100);
  const first = await project.list('event=request_rejected');
  expect(first).toEqual({ events: [], cursor: expect.any(String) });
  const second = await project.list(`event=request_rejected&cursor=${first.cursor}`);
  expect(ids(second.events)).toEqual([template?.requestId]);
  expect(second.cursor).toBeNull();
});

describe('a list of events refuses', () => {
  let project: Project;
  beforeAll(async () => {
    project = await projectOf();
  });

  test.each([
    ['limit=0', 'limit', 'Give a whole number from 1 to 200.'],
    ['limit=201', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=', 'limit'],
    ['limit=1&limit=2', 'limit', 'A query parameter is named twice.'],
    ['event=ping', 'event', 'Give one of request_succeeded, idempotency_replay, '],
    ['code=x', 'code', 'Give a code of the gateway.'],
    ['code=1A', 'code'],
    ['code=A1', 'code'],
    ['clientRequestId=', 'clientRequestId', 'Give a clientRequestId of 1 to 128 characters.'],
    [`clientRequestId=${'x'.repeat(129)}`, 'clientRequestId'],
    ['keyId=x', 'keyId', 'Give the id of a key.'],
    ['keyId=xkey_0000000000000000', 'keyId'],
    ['keyId=key_00000000000000000', 'keyId'],
    ['since=yesterday', 'since', 'Give a time such as 2026-11-21T08:30:00Z.'],
    ['since=2030-02-30T00:00:00Z', 'since', 'Give a time such as 2026-11-21T08:30:00Z.'],
    ['since=2030-01-15', 'since'],
    ['until=12030-01-15T00:00:00Z', 'until'],
    ['until=%2B012030-01-15T00:00:00Z', 'until'],
    ['since=2030-01-15T10:00:01Z&until=2030-01-15T10:00:00Z', 'until', 'The span ends before it begins.'],
    ['cursor=', 'cursor', 'Give the cursor of the page before, of this list.'],
  ])('%s, by name, to somebody who is signed in', async (query, field, words = '') => {
    const path = `${project.project}/events`;
    const { status, body } = await project.browser.get(path, query);
    const detail = expect.stringContaining(words);
    expect([status, body]).toEqual([400, expect.objectContaining({ code: 'INVALID_REQUEST', field, detail })]);
    expect((await project.portal.send({ path, query })).status).toBe(401);
  });
});
