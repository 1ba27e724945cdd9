import { beforeAll, describe, expect, test } from '@jest/globals';
import { trustingProvider } from '../support/changes/provider.ts';
import { testGateway } from '../support/gateway.ts';
import { usedLimitsOf } from '../support/people.ts';
import { testPortal } from '../support/portal.ts';
import { created, readPages, tenantOf } from '../support/portal-team.ts';
import { MINUTE_MS } from '../support/times.ts';

interface Keys {
  readonly keys: readonly { readonly keyId: string; readonly status: string }[];
  readonly cursor: string | null;
}

/** A project with three active keys and four that have ended. */
async function projectOf() {
  const portal = testPortal(trustingProvider);
  const tenant = await tenantOf(portal);
  const { browser, project } = tenant;
  for (let i = 0; i < 2; i++) await created(browser.post(`${project}/keys`, { expiresInDays: 30 + i }));
  for (let i = 0; i < 4; i++) {
    const { keyId = '' } = await created(browser.post(`${project}/keys`, {}));
    await browser.post(`${project}/keys/${keyId}/revoke`);
  }
  const ask = (query: Record<string, string> = {}) =>
    browser.get(`${project}/keys`, new URLSearchParams(query).toString());
  const pages = async (query: Record<string, string>) => {
    const read = await readPages<Keys['keys'][number]>(browser, `${project}/keys`, 'keys', query);
    return read.map((keys) => keys.map(({ status }) => status));
  };
  return { portal, ...tenant, ask, pages };
}

describe('the list of keys', () => {
  let own: Awaited<ReturnType<typeof projectOf>>;
  beforeAll(async () => (own = await projectOf()));

  test('is of those that go on, those that have ended, or both, and of pages', async () => {
    const { pages } = own;
    const [active, revoked] = ['active', 'revoked'];
    expect(await pages({ state: 'active' })).toEqual([[active, active, active]]);
    expect(await pages({ state: 'active', limit: '2' })).toEqual([[active, active], [active]]);
    expect(await pages({ state: 'ended', limit: '4' })).toEqual([[revoked, revoked, revoked, revoked]]);
    expect(await pages({ limit: '2' })).toEqual([[active, active], [active, revoked], [revoked, revoked], [revoked]]);
  });

  test.each([
    ['another state', 'state', { state: 'expired' }],
    ['a limit of none', 'limit', { limit: '0' }],
    ['a limit above 200', 'limit', { limit: '201' }],
    ['a cursor that is none', 'cursor', { cursor: 'x' }],
  ])('refuses %s, and names it', async (_what, field, query) => {
    expect(await own.ask(query)).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST', field } });
  });

  test('refuses a cursor of another state, of another project and of another list', async () => {
    const { ask, browser, account, project } = own;
    const cursorIn = ({ body }: { readonly body: unknown }): string => (body as Keys).cursor ?? '';
    const ended = cursorIn(await ask({ state: 'ended', limit: '1' }));
    expect((await ask({ state: 'ended', limit: '1', cursor: ended })).status).toBe(200);
    const audit = cursorIn(await browser.get(`${account}/audit`, 'limit=1'));
    const { projectId = '' } = await created(browser.post(`${account}/projects`, { name: 'Other' }));
    const query = new URLSearchParams({ state: 'ended', cursor: ended }).toString();
    for (const answer of [
      await ask({ state: 'active', cursor: ended }),
      await ask({ cursor: ended }),
      await ask({ state: 'ended', cursor: audit }),
      await browser.get(`${account}/projects/${projectId}/keys`, query),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { field: 'cursor' } });
    }
    expect((await browser.get(`${project}/events`, new URLSearchParams({ cursor: ended }).toString())).status).toBe(
      400,
    );
  });

  test('counts as a read, but for the first page of those that go on', async () => {
    const { portal, browser, ask } = own;
    const { user } = (await browser.get('/api/session')).body as { user: { userId: string } };
    const readsOf = async (query: Record<string, string>) => {
      portal.clock.nowMs += MINUTE_MS;
      const { body } = await ask(query);
      const used = await usedLimitsOf(portal, user.userId);
      const minute = `READS#${new Date(portal.clock.nowMs).toISOString().slice(0, 16)}`;
      return [used.filter(({ sk }) => String(sk).startsWith(minute)).length, (body as Keys).cursor ?? ''] as const;
    };
    const first = { state: 'active', limit: '1' };
    const [reads, cursor] = await readsOf(first);
    expect(reads).toBe(0);
    for (const query of [{}, { state: 'ended' }, { ...first, cursor }]) expect((await readsOf(query))[0]).toBe(1);
  });
});

test('a rotation is refused while the key that this one replaced works, unless it names it, and then ends it', async () => {
  const portal = testPortal(trustingProvider);
  const gateway = testGateway({ clock: portal.clock });
  const { browser, account, project, ...first } = await tenantOf(portal);
  const rotate = (keyId = '', body: object = {}) => browser.post(`${project}/keys/${keyId}/rotate`, body);
  const answersTo = (...all: readonly { readonly key?: string }[]) =>
    Promise.all(all.map(async ({ key = '' }) => (await gateway.ping(key)).status));
  const second = await created(rotate(first.keyId, { graceHours: 168 }));
  expect(await rotate(second.keyId, { graceHours: 168 })).toMatchObject({
    status: 409,
    body: { code: 'LIMIT_REACHED', ends: first.keyId, detail: expect.stringContaining('still works') as unknown },
  });
  // A caller cannot end any other key in this way.
  const other = await created(browser.post(`${project}/keys`, {}));
  expect((await rotate(second.keyId, { ends: other.keyId })).body).toMatchObject({ ends: first.keyId });
  for (const ends of [first.keyId, 'first']) {
    expect(await rotate(other.keyId, { ends })).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
  }
  expect(await answersTo(first, second, other)).toEqual([200, 200, 200]);

  const third = await created(rotate(second.keyId, { graceHours: 168, ends: first.keyId }));
  expect(await answersTo(first, second, third, other)).toEqual([401, 200, 200, 200]);
  const { events } = (await browser.get(`${account}/audit`, 'action=key.expire')).body as { events: unknown[] };
  expect(events).toMatchObject([{ keyId: first.keyId, before: {}, after: {}, actorKind: 'member' }]);
});
