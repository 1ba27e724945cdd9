import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { listAudit, type AuditEvent } from '../../functions/accounts/authority/audit.ts';
import { completeAuditPart } from '../../functions/accounts/audit/audit-csv.ts';
import { DEFAULT_LIMITS } from '../../functions/accounts/store/limits.ts';
import { removeMember } from '../../functions/accounts/team/members.ts';
import { suspendProject } from '../../functions/accounts/projects/projects.ts';
import { auditPage, peopleOf, type AccountAuditEvent } from '../../functions/accounts/audit/recent-audit.ts';
import { trustingProvider } from '../support/changes/provider.ts';
import { recordCalls } from '../support/database.ts';
import { endlessDeadline } from '../support/deadline.ts';
import { testGateway } from '../support/gateway.ts';
import { testPortal, type TestBrowser, type TestPortal } from '../support/portal.ts';
import { created, join, read, readPages, tenantOf } from '../support/portal-team.ts';
import { testClock } from '../support/reports.ts';

const SECOND_MS = 1_000;
const OLDEST = '2030-01-15T09:00:00.000Z';
const OPERATOR = 'arn:aws:sts::123456789012:assumed-role/Operators/grace';

interface Page {
  readonly events: AccountAuditEvent[];
  readonly cursor: string | null;
}
const readPage = (browser: TestBrowser, path: string, query: Record<string, string> = {}) =>
  read<Page>(browser.get(path, new URLSearchParams(query).toString()));
/** All pages in order. */
const readAll = async (browser: TestBrowser, path: string, query: Record<string, string> = {}) =>
  (await readPages<AccountAuditEvent>(browser, path, 'events', query)).flat();

/** An account with changes by an owner, a member, a former member and the platform team. */
async function audited() {
  const clock = testClock();
  const portal = testPortal(trustingProvider, { clock, limits: { ...DEFAULT_LIMITS, readsPerMinute: 1_000 } });
  const tenant = await tenantOf(portal);
  const { browser, accountId, account, project, projectId, keyId } = tenant;
  const ada = await join(portal, browser, accountId);
  const gone = await join(portal, browser, accountId, 'owner');
  const operator = { ...portal.store, actor: () => Promise.resolve(OPERATOR) };
  const changes = [
    () => ada.patch(`${project}/keys/${keyId}`, { name: 'Maps' }),
    () => gone.patch(account, { name: 'Ours' }),
    () => created(gone.post(`${project}/keys`, { name: 'Theirs' })),
    () => suspendProject(operator, projectId),
    () => removeMember(operator, accountId, gone.memberId),
  ];
  for (const change of changes) {
    clock.nowMs += SECOND_MS;
    await change();
  }
  const path = `${account}/audit`;
  const stored = (await Array.fromAsync(listAudit(operator, accountId))).reverse();
  return { portal, ...tenant, ada, gone, path, stored };
}
/** The name that the provider of these tests gives to people. */
const nameOf = ({ email }: { readonly email: string }) => email.split('@')[0];
const timesOf = (events: readonly { at: string; action: string }[]) =>
  events.map(({ at, action }) => `${at} ${action}`);

let team: Awaited<ReturnType<typeof audited>>;
let all: AccountAuditEvent[];
beforeAll(async () => {
  team = await audited();
  all = await readAll(team.browser, team.path);
});

describe('the audit of an account', () => {
  test('is listed newest first: what was changed, before and after, and every event once', () => {
    expect(all).toHaveLength(team.stored.length);
    expect(all.map(({ at }) => at)).toEqual(team.stored.map(({ at }) => at));
    expect(timesOf(all).toSorted()).toEqual(timesOf(team.stored).toSorted());
    const { projectId, keyId, ada } = team;
    expect(all[4]).toEqual({
      at: '2030-01-15T10:00:31.000Z',
      action: 'key.update',
      projectId,
      keyId,
      memberId: null,
      endpointId: null,
      tokenId: null,
      before: { name: 'CI' },
      after: { name: 'Maps' },
      actor: nameOf(ada),
      actorEmail: ada.email,
      actorKind: 'member',
      actorId: ada.memberId,
      memberName: null,
      memberEmail: null,
    });
  });

  test('names who is there now, those who have gone and operators, and never as the audit has them', () => {
    const { gone, browser } = team;
    expect(all.slice(0, 5).map(({ actor, actorKind, actorId }) => [actor, actorKind, actorId])).toEqual([
      ...[0, 1].map(() => ['operator', 'operator', null]),
      ...[2, 3].map(() => [nameOf(gone), 'former', null]),
      [nameOf(team.ada), 'member', team.ada.memberId],
    ]);
    const begun = all.find(({ action }) => action === 'account.create');
    expect(begun).toMatchObject({ actor: nameOf(browser), actorKind: 'member' });
    const [removed] = all;
    expect(removed).toMatchObject({ action: 'member.remove', memberName: nameOf(gone), memberEmail: gone.email });
    const text = JSON.stringify(all);
    for (const secret of ['arn:', '123456789012', 'usr_']) expect(text).not.toContain(secret);
    // Names are read when they are shown: the stored events have none.
    for (const secret of [gone.email, nameOf(gone) ?? '', browser.email])
      expect(JSON.stringify(team.stored)).not.toContain(secret);
  });

  test.each([
    [{ name: 'Ada', email: 'ada@example.com' }, 'Ada'],
    [{ email: 'ada@example.com' }, 'ada@example.com'],
    [{ email: null }, 'a member'],
  ])('names a member by what is known of them: %j', async (known, actor) => {
    const member = { memberId: 'mem_1', userId: 'usr_1', role: 'owner', status: 'active', createdAt: '' } as const;
    const event: AuditEvent = {
      at: '2030-01-15T10:00:31.000Z',
      actor: 'user:usr_1',
      action: 'account.update',
      accountId: 'acc_1',
      before: null,
      after: { status: 'active', expiresAt: null, role: 'owner' },
    };
    const reading = { found: [{ position: `${event.at}#0`, event }], frontier: undefined };
    const members = [{ ...member, ...known }];
    const { events: found, next } = auditPage(reading, members, { span: {}, limit: 1 });
    const events = await peopleOf(team.portal.store, members)(found);
    expect(events).toEqual([expect.objectContaining({ actor, actorKind: 'member', actorId: 'mem_1' })]);
    expect(next).toBeUndefined();
    // In any order of the database.
    expect(Object.keys(events[0]?.after ?? {})).toEqual(['expiresAt', 'role', 'status']);
  });

  test.each([1, 2, 3, 50])('comes in pages of %d', async (limit) => {
    expect(await readAll(team.browser, team.path, { limit: String(limit) })).toEqual(all);
  });

  test.each(['operator', 'former', 'ada', 'owner'])('is filtered by the author of the change: %s', async (who) => {
    const owner = all.find(({ action }) => action === 'account.create')?.actorId ?? '';
    const actor = { ada: team.ada.memberId, owner }[who] ?? who;
    const theirs = all.filter(({ actorKind, actorId }) => actor === actorId || actor === actorKind);
    expect(theirs.length).toBeGreaterThan(0);
    for (const limit of ['1', '50']) {
      expect(await readAll(team.browser, team.path, { actor, limit })).toEqual(theirs);
    }
    expect(await readAll(team.browser, team.path, { actor: team.gone.memberId })).toEqual([]);
  });

  test('is filtered by what was done, and by time: from since on, until before', async () => {
    const { browser, path } = team;
    for (const action of ['member.join', 'key.create', 'account.close']) {
      expect(await readAll(browser, path, { action, limit: '1' })).toEqual(
        all.filter((event) => event.action === action),
      );
    }
    const [since, until] = [all[4]?.at ?? '', all[1]?.at ?? ''];
    for (const limit of ['1', '50']) {
      expect(await readAll(browser, path, { since, until, limit })).toEqual(all.slice(2, 5));
    }
    const action = 'account.update';
    expect(await readAll(browser, path, { since, until, action, actor: 'former' })).toEqual([all[3]]);
  });

  test('has nothing after a cursor that stands before the span', async () => {
    const { cursor } = await readPage(team.browser, team.path, { limit: '5' });
    expect(await readPage(team.browser, team.path, { cursor: cursor ?? '', since: all[0]?.at ?? '' })).toEqual({
      events: [],
      cursor: null,
    });
  });

  test.each([
    ['limit=0', 'limit'],
    ['action=ping', 'action', 'Give one of account.create, account.update, account.close, '],
    ['actor=ada@example.com', 'actor', 'Give the id of a member or token, operator or former.'],
    ['actor=usr_0000000000000000', 'actor'],
    ['actor=an+operator', 'actor'],
    ['actor=formerly', 'actor'],
    ['actor=operator&actor=former', 'actor'],
    ['since=x', 'since'],
    ['since=2030-01-15T10:00:01Z&until=2030-01-15T10:00:00Z', 'until'],
  ])('refuses %s by name', async (query, field, words = '') => {
    const { status, body } = await team.browser.get(team.path, query);
    const detail = expect.stringContaining(words);
    expect([status, body]).toEqual([400, expect.objectContaining({ code: 'INVALID_REQUEST', field, detail })]);
    expect((await team.portal.send({ path: team.path, query })).status).toBe(401);
  });
});

describe('who was a member', () => {
  /** An account with a removed member, one who has left, and a withdrawn invitation. */
  async function ended() {
    const portal = testPortal(trustingProvider, { limits: { ...DEFAULT_LIMITS, readsPerMinute: 1_000 } });
    const { browser, accountId, account } = await tenantOf(portal);
    const removed = await join(portal, browser, accountId);
    const left = await join(portal, browser, accountId);
    const { memberId } = await created(
      browser.post(`${account}/members`, { email: 'eve@example.com', role: 'member' }),
    );
    for (const [who, id] of [
      [browser, removed.memberId],
      [left, left.memberId],
      [browser, memberId],
    ] as const) {
      portal.clock.nowMs += SECOND_MS;
      expect((await who.delete(`${account}/members/${id}`)).status).toBe(204);
    }
    const path = `${account}/audit`;
    const shown = async () =>
      (await readAll(browser, path)).slice(0, 3).map(({ action, actor, actorKind, memberName, memberEmail }) => ({
        action,
        actor,
        actorKind,
        memberName,
        memberEmail,
      }));
    return { portal, browser, accountId, account, path, removed, left, shown };
  }

  test('was removed, has left or was never there: each is distinguished, and the person is named', async () => {
    const { browser, path, removed, left, shown } = await ended();
    const owner = { actor: nameOf(browser), actorKind: 'member' };
    const ofLeft = { memberName: nameOf(left), memberEmail: left.email };
    expect(await shown()).toEqual([
      { action: 'member.withdraw', ...owner, memberName: null, memberEmail: null },
      { action: 'member.leave', actor: nameOf(left), actorKind: 'former', ...ofLeft },
      { action: 'member.remove', ...owner, memberName: nameOf(removed), memberEmail: removed.email },
    ]);
    for (const action of ['member.remove', 'member.leave', 'member.withdraw']) {
      expect((await readAll(browser, path, { action })).map((event) => event.action)).toEqual([action]);
    }
  });

  test('is named no more from the end of their profile on, in the page and in the file', async () => {
    const { browser, path, removed, left, shown } = await ended();
    for (const gone of [removed, left]) expect((await gone.delete('/api/profile')).status).toBe(204);
    const [, ofLeft, ofRemoved] = await shown();
    expect(ofLeft).toMatchObject({ actor: 'former member', memberName: null, memberEmail: null });
    expect(ofRemoved).toMatchObject({ memberName: null, memberEmail: null });
    const { text } = await browser.get(`${path}.csv`);
    for (const gone of [removed, left]) expect(text).not.toContain(nameOf(gone));
  });

  test('and has come back, is who they are now', async () => {
    const { portal, browser, accountId, account, removed, shown } = await ended();
    await created(browser.post(`${account}/members`, { email: removed.email, role: 'member' }));
    expect((await removed.post(`/api/invitations/${accountId}/accept`)).status).toBe(200);
    portal.clock.nowMs += SECOND_MS;
    expect((await readAll(browser, `${account}/audit`, { action: 'member.remove' }))[0]).toMatchObject({
      memberName: nameOf(removed),
    });
    expect(await shown()).toHaveLength(3);
  });
});

const rowsOf = (csv: string) => parse<Record<string, string>>(csv, { columns: true, record_delimiter: '\r\n' });

describe('the audit as a file', () => {
  test('has the events of the page in its order, with names of projects and keys beside their ids', async () => {
    const { browser, path, projectId, keyId } = team;
    const { status, headers, text } = await browser.get(`${path}.csv`);
    expect([status, headers['content-type']]).toEqual([200, 'text/csv']);
    expect(headers['content-disposition']).toBe(`attachment; filename="audit-${team.accountId}.csv"`);
    expect(headers['x-next-cursor']).toBeUndefined();
    const [head] = text.split('\r\n');
    expect(head).toBe(
      'at,action,actor,actorEmail,actorKind,actorId,projectId,projectName,keyId,keyName,memberId,memberName,memberEmail,endpointId,tokenId,before,after',
    );
    const rows = rowsOf(text);
    const cell = (value: unknown) => (value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : value);
    expect(rows.map(({ projectName, keyName, ...row }) => row)).toEqual(
      all.map((event) => Object.fromEntries(Object.entries(event).map(([name, value]) => [name, cell(value)]))),
    );
    const named = rows.filter((row) => row.keyId === keyId).map((row) => [row.projectId, row.projectName, row.keyName]);
    expect(named).toEqual(Array.from(named, () => [projectId, 'Trips', 'Maps']));
    expect(named).toHaveLength(2);
    const text2 = (await browser.get(`${path}.csv`, 'action=key.update&actor=' + team.ada.memberId)).text;
    expect(rowsOf(text2)).toEqual(rows.filter(({ action }) => action === 'key.update'));
    expect((await browser.get(`${path}.csv`, 'actor=x')).body).toMatchObject({ field: 'actor' });
  });

  test('disarms formulas in names of projects and keys', async () => {
    const { browser, account } = await tenantOf(testPortal(trustingProvider));
    const { projectId } = await created(browser.post(`${account}/projects`, { name: '=1+1' }));
    await created(browser.post(`${account}/projects/${projectId}/keys`, { name: '@SUM(A9)' }));
    const rows = rowsOf((await browser.get(`${account}/audit.csv`, 'action=key.create')).text);
    // Events of one moment have no order.
    const row = rows.find((one) => one.projectId === projectId);
    expect([row?.projectName, row?.keyName]).toEqual(["'=1+1", "'@SUM(A9)"]);
    const { text } = await browser.get(`${account}/audit.csv`);
    for (const cell of parse(text, { record_delimiter: '\r\n' }).flat()) expect(cell).not.toMatch(/^[=+@\t\r\n]/);
  });

  test.each([
    [10_000, 0],
    [9_999, 1],
  ])('of which a part has looked at %i events reads %i times more', async (looked, reads) => {
    const { operatorClient, store } = testGateway();
    const { commands } = recordCalls(operatorClient);
    const event = {
      at: OLDEST,
      actor: OPERATOR,
      action: 'project.update',
      accountId: 'acc_1',
      before: {},
      after: {},
    } as const;
    const found = Array.from({ length: looked }, (_, i) => ({ position: `${OLDEST}#${i}`, event }));
    const part = await completeAuditPart(store, 'acc_1', { span: {} }, [], { found, frontier: `${OLDEST}#0` });
    expect(commands).toEqual(Array<string>(reads).fill('Query'));
    expect(part.next).toBe(reads === 0 ? `${OLDEST}#999` : undefined);
  });
});

/** Stores changes of the platform team, a millisecond apart. */
async function manyEvents({ store: { client, tables }, clock }: TestPortal, accountId: string, count: number) {
  for (let i = 0; i < count; i += 25) {
    const items = Array.from({ length: Math.min(25, count - i) }, (_, j) => {
      const at = new Date(clock.nowMs + i + j + 1).toISOString();
      const event = { at, actor: OPERATOR, action: 'project.update', accountId, before: {}, after: {} };
      return { PutRequest: { Item: { ...event, pk: `ACCOUNT#${accountId}`, sk: `AUDIT#${at}#${i + j}` } } };
    });
    await client.send(new BatchWriteCommand({ RequestItems: { [tables.gateway]: items } }));
  }
}

describe('of more events than one query reads', () => {
  let path: string;
  let browser: TestBrowser;
  let earlier: number;
  beforeAll(async () => {
    const limits = { ...DEFAULT_LIMITS, readsPerMinute: 1_000 };
    // A part ends with its first query, as it has no time for another one.
    const startDeadline = () => Object.assign(endlessDeadline(), { leftMs: () => 1_999 });
    const portal = testPortal(trustingProvider, { limits, startDeadline });
    const tenant = await tenantOf(portal);
    ({ browser } = tenant);
    path = `${tenant.account}/audit`;
    earlier = (await readAll(browser, path)).length;
    await manyEvents(portal, tenant.accountId, 1_100);
  });

  test('a page of few is bounded: it may be empty, with a cursor', async () => {
    const first = await readPage(browser, path, { action: 'key.create' });
    expect(first).toEqual({ events: [], cursor: expect.any(String) });
    const second = await readPage(browser, path, { action: 'key.create', cursor: first.cursor ?? '' });
    expect(second).toMatchObject({ events: [{ action: 'key.create' }], cursor: null });
  });

  test('a file comes in parts, newest first, every event once', async () => {
    const times: string[][] = [];
    let cursor: string | undefined;
    do {
      const { text, headers } = await browser.get(`${path}.csv`, cursor === undefined ? '' : `cursor=${cursor}`);
      times.push(rowsOf(text).map(({ at }) => at ?? ''));
      cursor = headers['x-next-cursor'];
    } while (cursor !== undefined && times.length < 20);
    expect(times.map(({ length }) => length)).toEqual([1_000, 100 + earlier]);
    expect(times.flat()).toEqual(times.flat().toSorted().reverse());
    expect(new Set(times.flat().slice(0, 1_100)).size).toBe(1_100);
  });
});
